import { join } from 'node:path'
import { type FileFormat, writeReport } from '../page/write-report-files.ts'
import type { ReportResult } from '../render/result.ts'
import { notePage } from './current-pages.ts'
import type { ReportPart } from './output-folders.ts'
import { navigationOf } from './page-navigation.ts'

/** Filters other than team and dimension. */
export interface PageFilters {
  readonly period?: string | undefined
  readonly severity?: string | undefined
  readonly account?: string | undefined
  readonly snapshot?: string | undefined
}

/** Returns the name of a page with filters, such as `2026-09`. Null for the current page, which has no filters. */
export function pageKey(
  { kind }: Pick<ReportPart, 'kind'>,
  { period, severity, account, snapshot }: PageFilters,
): string | null {
  // The folder name already identifies the account.
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

export interface PageRequest {
  readonly out: string
  readonly part: ReportPart
  readonly filters: PageFilters
  readonly files: readonly FileFormat[]
  readonly names: readonly string[]
  /** Returns the path of a team's page, relative to the folder of reports. Null if it has none. */
  teamPage(team: string): string | null
  /** Whether the page links to other pages. False if the user chose an output folder just for this page. */
  readonly isLinked: boolean
}

export interface MadeReport {
  readonly result: ReportResult
  /** Path relative to the folder of reports, without `.html`. */
  readonly address: string
}

export interface WrittenPage extends Pick<MadeReport, 'address'> {
  readonly written: string[]
  readonly folder: string
  readonly name: string
}

export function writePage(result: ReportResult, request: PageRequest): WrittenPage {
  const { out, part, filters, files, names, isLinked } = request
  const key = pageKey(part, filters)
  const root = join(out, part.folder)
  const [folder, name] = key === null ? [root, result.name] : [join(root, result.name), key]
  const isOfAll = part.kind === 'all' || part.kind === 'account'
  // Other pages link to the current page and to pages of fixed past periods, but not to pages with other filters.
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

/** Returns the period if it is fixed, such as `2026-09`. Undefined if it moves with the data. */
const pastPeriod = ({ period }: PageFilters) => (period && /^\d{4}/.test(period) ? period : undefined)
