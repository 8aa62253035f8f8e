import { join } from 'node:path'
import type { ReportResult } from '../render/result.ts'
import { type FileFormat, writeReport } from '../report/write.ts'
import { notePage } from './current-pages.ts'
import type { ReportPart } from './output-folders.ts'
import { navigationOf } from './page-navigation.ts'

/** The options of a run that its part does not contain. */
export interface PageFilters {
  readonly period?: string | undefined
  readonly severity?: string | undefined
  readonly account?: string | undefined
  readonly snapshot?: string | undefined
}

/**
 * Returns the name of a page that was made with filters, such as `2026-09` or `critical`, in the folder of its report. Null for a run
 * without any: it alone replaces the current page. A zone is no filter: it shows the same incidents.
 */
export function pageKey(
  { kind }: Pick<ReportPart, 'kind'>,
  { period, severity, account, snapshot }: PageFilters,
): string | null {
  // These are of one account anyway.
  const isOfOne = kind === 'account' || kind === 'team'
  const parts = [
    period,
    severity?.toLowerCase(),
    account && !isOfOne && `account-${account.toLowerCase()}`,
    snapshot && `snapshot-${snapshot}`,
  ]
  const key = parts.filter(Boolean).join('_')
  return key === '' ? null : key.replace(/[^\w-]+/g, '_').slice(0, 120)
}

/** Where a page is written, and what it links to. */
export interface PageRequest {
  /** Folder of reports. */
  readonly out: string
  readonly part: ReportPart
  readonly filters: PageFilters
  readonly files: readonly FileFormat[]
  /** The reports whose pages are made in this run. */
  readonly names: readonly string[]
  /** The address of a team's pages, seen from the folder of reports; null if it has none. */
  teamPage(team: string): string | null
  /** Whether the page links to other pages: not in a folder that was named for it alone. */
  readonly isLinked: boolean
}

/** A report that was made. */
export interface MadeReport {
  readonly result: ReportResult
  /** The page's address, seen from the folder of reports, without `.html`. */
  readonly address: string
}

/** A page that was written. */
export interface WrittenPage extends Pick<MadeReport, 'address'> {
  readonly written: string[]
  readonly folder: string
  readonly name: string
}

/** Writes a report page at its address, which depends on its part, its report and the filters of the run. */
export function writePage(result: ReportResult, request: PageRequest): WrittenPage {
  const { out, part, filters, files, names, isLinked } = request
  const key = pageKey(part, filters)
  const root = join(out, part.folder)
  const [folder, name] = key === null ? [root, result.name] : [join(root, result.name), key]
  const isOfAll = part.kind === 'all' || part.kind === 'account'
  // Pages made with other filters are in no list: there is no period before or after them.
  const isListed =
    files.includes('html') &&
    isLinked &&
    (key === null || key === pageKey(part, { period: pastPeriod(filters) }))
  const written = writeReport(result, folder, files, {
    ...{ name, out },
    isCompact: !isOfAll,
    teamPage: (team) => {
      const address = part.kind === 'all' ? request.teamPage(team) : null
      return address && (key === null ? address : `../${address}`)
    },
    site: isLinked ? navigationOf(out, part, result, { key, made: names }) : null,
  })
  if (isListed) notePage(folder, name, result)
  const address = [part.folder, result.name, key].filter(Boolean).join('/')
  return { written, folder, name, address }
}

/** A period that does not move with the data. */
const pastPeriod = ({ period }: PageFilters) => (period && /^\d{4}/.test(period) ? period : undefined)
