import { join } from 'node:path'
import { type FileFormat, writeReport } from '../page/write-report-files.ts'
import type { ReportResult } from '../render/result.ts'
import { notePage } from './current-pages.ts'
import type { ReportPart } from './output-folders.ts'
import { navigationOf } from './page-navigation.ts'

/** Options of a run that are not part of its `ReportPart`. */
export interface PageFilters {
  readonly period?: string | undefined
  readonly severity?: string | undefined
  readonly account?: string | undefined
  readonly snapshot?: string | undefined
}

/**
 * Returns the name of a page with filters, such as `2026-09`. Null without filters, because only a run without filters
 * replaces the current page.
 */
export function pageKey(
  { kind }: Pick<ReportPart, 'kind'>,
  { period, severity, account, snapshot }: PageFilters,
): string | null {
  // These parts are already limited to one account.
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
  /** Whether the page links to other pages. False if the output folder was chosen for this page only. */
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

/** Writes a report page to its path, which depends on part, report and filters. */
export function writePage(result: ReportResult, request: PageRequest): WrittenPage {
  const { out, part, filters, files, names, isLinked } = request
  const key = pageKey(part, filters)
  const root = join(out, part.folder)
  const [folder, name] = key === null ? [root, result.name] : [join(root, result.name), key]
  const isOfAll = part.kind === 'all' || part.kind === 'account'
  // Pages with other filters are not listed, because they have neither a previous nor a next period.
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

/** Returns the period if it is fixed, and not relative to the data. */
const pastPeriod = ({ period }: PageFilters) => (period && /^\d{4}/.test(period) ? period : undefined)
