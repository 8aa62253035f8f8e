import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../effects.ts'
import { DeliveryError } from '../errors.ts'
import { ALL_SEVERITIES, ALL_TEAMS, type ReportSummary } from '../render/summary.ts'
import { type IndexEntry, type IndexReport, toIndex } from '../render/to-index.ts'
import { shortenList, writeListed } from '../report/served-files.ts'
import { foldersIn, isComplete, presentPages } from './current-pages.ts'
import { teamsWithPages } from './team-folders.ts'

const HISTORY = 'history'

interface KeptPage {
  readonly summary: ReportSummary
  /** Path of the page without extension, relative to the reports folder. Folders are separated by `/`. */
  readonly path: string
}

/** File name of an archived page: first day, exclusive end, and a hash if the report covers only some incidents. */
const KEY = /^\d{4}-\d{2}-\d{2}\.\.\d{4}-\d{2}-\d{2}(\.[0-9a-f]{8})?$/

/** Returns the path of an archived page. A later run with the same period and filters overwrites the page. */
export function historyPath(summary: ReportSummary): string {
  const { report, period } = summary
  // A report name such as `.git` would create a hidden folder, and `..` would be the parent folder.
  const folder = report.startsWith('.') ? `_${report}` : report
  return `${HISTORY}/${folder}/${period.from}..${period.to}${scopeMark(summary)}`
}

function isUnfiltered({ teams, severities, dimensions }: ReportSummary): boolean {
  return teams === ALL_TEAMS && severities === ALL_SEVERITIES && dimensions === undefined
}

/** Hashes the selected accounts, teams, severities and dimensions. Empty if nothing is selected. */
export function scopeMark(summary: ReportSummary): string {
  const { accounts, teams, severities, dimensions } = summary
  if (accounts === null && isUnfiltered(summary)) return ''
  const scope = JSON.stringify([accounts, teams, severities].concat(dimensions ?? []))
  return `.${createHash('sha256').update(scope).digest('hex').slice(0, 8)}`
}

/** Groups archived pages by report, with the newest period first. */
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
  const key = ({ period, as_of }: ReportSummary) => `${period.to} ${as_of}`
  return key(b).localeCompare(key(a), 'en')
}

/** Returns undefined if the file is damaged or from an incompatible version. */
function readSummary(path: string): ReportSummary | undefined {
  try {
    const summary = JSON.parse(readFileSync(path, 'utf8')) as ReportSummary
    return isComplete(summary) ? summary : undefined
  } catch {
    return undefined
  }
}

/** Returns the path of the archived page, relative to `out`. @throws DeliveryError */
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

/** @throws DeliveryError if the folder cannot be written */
export function writeIndex(out: string, now: number): void {
  writing(out, () => {
    writeListed(out, 'index.html', indexHtml(out, now))
    shortenList(out)
  })
}

export function indexHtml(out: string, now: number): string {
  const [kept, present] = [keptPages(out), presentPages(out)]
  const reports = [...new Set([...present, ...kept].map(({ summary }) => summary.report))]
    .map((name) => {
      const isOf = ({ summary }: { summary: ReportSummary }) => summary.report === name
      return indexReport(kept.filter(isOf), present.findLast(isOf))
    })
    .sort(
      (a, b) =>
        urgency(b.latest.summary) - urgency(a.latest.summary) ||
        a.latest.summary.title.localeCompare(b.latest.summary.title, 'en'),
    )
  return toIndex(reports, new Date(now), teamsWithPages(out))
}

/** Failed gates count most, then warnings, and then figures that got worse. */
function urgency({ gates, warnings, kpis }: ReportSummary): number {
  const failed = gates.filter(({ state }) => state === 'error').length
  const warned = gates.length - failed + warnings.length
  const worse = kpis.filter(({ change, target }) => change?.tone === 'worse' || target?.met === false).length
  return 10_000 * failed + 100 * warned + worse
}

/** Without a current page, uses the newest archived page, preferably one about all teams and severities. */
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
