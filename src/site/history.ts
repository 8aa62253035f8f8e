import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../effects.ts'
import { DeliveryError } from '../errors.ts'
import { ALL_SEVERITIES, ALL_TEAMS, type ReportSummary } from '../render/summary.ts'
import { type IndexEntry, type IndexReport, toIndex } from '../render/to-index.ts'
import { shortenList, writeListed } from '../report/served-files.ts'
import { isZone } from '../settings/zone.ts'
import { foldersIn, presentPages } from './current-pages.ts'
import { teamsWithPages } from './team-folders.ts'

const HISTORY = 'history'

interface KeptPage {
  readonly summary: ReportSummary
  /** Path without extension, relative to the folder of reports, separated by `/`. */
  readonly path: string
}

/** Matches a key of first day and exclusive end, followed by a hash if the report covers only some incidents. */
const KEY = /^\d{4}-\d{2}-\d{2}\.\.\d{4}-\d{2}-\d{2}(\.[0-9a-f]{8})?$/

/** Returns the path of an archived page. A later run with the same period and scope replaces it. */
export function historyPath(summary: ReportSummary): string {
  const { report, period } = summary
  return [HISTORY, folderOf(report), `${period.from}..${period.to}${scopeMark(summary)}`].join('/')
}

function isUnfiltered({ teams, severities, dimensions }: ReportSummary): boolean {
  return teams === ALL_TEAMS && severities === ALL_SEVERITIES && dimensions === undefined
}

/** Returns a hash of the accounts, teams, severities and dimensions of a report. Empty for all incidents. */
export function scopeMark(summary: ReportSummary): string {
  const { accounts, teams, severities, dimensions } = summary
  if (accounts === null && isUnfiltered(summary)) return ''
  const scope = createHash('sha256').update(
    JSON.stringify([accounts, teams, severities, ...(dimensions === undefined ? [] : [dimensions])]),
  )
  return `.${scope.digest('hex').slice(0, 8)}`
}

/** Returns the folder of a report. Prevents hidden folders and paths that lead upwards. */
function folderOf(report: string): string {
  return report.startsWith('.') ? `_${report}` : report
}

/** Returns all archived pages by report, newest period first. */
export function keptPages(out: string): KeptPage[] {
  return foldersIn(join(out, HISTORY)).flatMap((folder) =>
    readdirSync(join(out, HISTORY, folder), { withFileTypes: true })
      .filter((file) => file.isFile() && file.name.endsWith('.json'))
      .map((file) => file.name.slice(0, -'.json'.length))
      .filter((key) => KEY.test(key) && existsSync(join(out, HISTORY, folder, `${key}.html`)))
      .flatMap((key) => {
        const summary = readSummary(join(out, HISTORY, folder, `${key}.json`))
        return summary ? [{ summary, path: `${HISTORY}/${folder}/${key}` }] : []
      })
      .sort(newestFirst),
  )
}

function newestFirst({ summary: a }: KeptPage, { summary: b }: KeptPage): number {
  return compare(b.period.to, a.period.to) || compare(b.as_of, a.as_of)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Undefined if the file is not a summary of this version. */
function readSummary(path: string): ReportSummary | undefined {
  try {
    const summary = JSON.parse(readFileSync(path, 'utf8')) as ReportSummary
    return isComplete(summary) ? summary : undefined
  } catch {
    return undefined
  }
}

function isComplete(summary: ReportSummary): boolean {
  const { report, title, verdict, teams, severities, coverage, accounts, period, gates, warnings } = summary
  const texts = [report, title, verdict, teams, severities, coverage, accounts ?? '', period.from, period.to]
  return (
    [...texts, period.label, period.timezone, ...warnings, ...gates.map(({ message }) => message)].every(
      (text) => typeof text === 'string',
    ) &&
    Array.isArray(summary.kpis) &&
    isZone(period.timezone) &&
    !Number.isNaN(Date.parse(summary.as_of))
  )
}

/** Archives a page and its picture, and lists it. Returns its path relative to `out`. @throws DeliveryError */
export function keepPage(
  out: string,
  page: string,
  summary: ReportSummary,
  now: number,
  picture: Uint8Array | null = null,
): string {
  const path = historyPath(summary)
  writing(out, () => {
    if (picture) writeListed(out, `${path}.png`, picture)
    writeListed(out, `${path}.html`, page)
    replaceFile(join(out, `${path}.json`), `${JSON.stringify(summary, null, 2)}\n`)
  })
  writeIndex(out, now)
  return `${path}.html`
}

/** Writes `index.html`. @throws DeliveryError if the folder cannot be written */
export function writeIndex(out: string, now: number): void {
  writing(out, () => {
    writeListed(out, 'index.html', indexHtml(out, now))
    shortenList(out)
  })
}

/** Renders the index of the archived and current pages. */
export function indexHtml(out: string, now: number): string {
  const byReport = new Map<string, KeptPage[]>()
  for (const page of keptPages(out)) {
    byReport.set(page.summary.report, [...(byReport.get(page.summary.report) ?? []), page])
  }
  const present = new Map(presentPages(out).map((page) => [page.summary.report, page]))
  const reports = [...new Set([...present.keys(), ...byReport.keys()])]
    .map((name) => indexReport(byReport.get(name) ?? [], present.get(name)))
    .sort(
      (a, b) =>
        urgency(b.latest.summary) - urgency(a.latest.summary) ||
        a.latest.summary.title.localeCompare(b.latest.summary.title, 'en'),
    )
  return toIndex(reports, new Date(now), teamsWithPages(out))
}

/** Returns the sort value of a report. Failed gates come first, then warnings, then figures that got worse. */
function urgency({ gates, warnings, kpis }: ReportSummary): number {
  const failed = gates.filter(({ state }) => state === 'error').length
  const warned = gates.length - failed + warnings.length
  const worse = kpis.filter(({ change, target }) => change?.tone === 'worse' || target?.met === false).length
  return 10_000 * failed + 100 * warned + worse
}

/**
 * Returns the entry of a report in the index. Shows the current page. If there is none, shows the latest archived page
 * about all teams and severities, or otherwise the newest page.
 */
function indexReport(pages: readonly KeptPage[], present: IndexEntry | undefined): IndexReport {
  const kept = pages.find(({ summary }) => isUnfiltered(summary)) ?? pages[0]
  const entry = ({ summary, path }: KeptPage) => ({ summary, page: `${path}.html` })
  const latest = present ?? entry(kept!)
  const isLatest = ({ summary }: KeptPage) => historyPath(summary) === historyPath(latest.summary)
  return { latest, history: pages.filter((page) => !isLatest(page)).map(entry) }
}

function writing(out: string, write: () => void): void {
  try {
    write()
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new DeliveryError(`The report cannot be stored in ${out}: ${reason}`, {
      cause,
      isTransient: false,
      next: 'Check the folder and the free disk space.',
    })
  }
}
