import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ReportSummary } from '../render/summary.ts'
import { isZone } from '../zone.ts'

/** Folder of kept pages, below that of the reports. */
export const HISTORY = 'history'

/** A page that was kept, with what it says. */
export interface KeptPage {
  readonly summary: ReportSummary
  /** Path without its end (`.html`, `.json`), seen from the folder of the reports; `/` between its parts. */
  readonly path: string
}

/** A day, a day, and a mark where only a part of the incidents is meant. */
const KEY = /^\d{4}-\d{2}-\d{2}\.\.\d{4}-\d{2}-\d{2}(\.[0-9a-f]{8})?$/

/** Where a report's page of a period is kept. Made again for the same period and scope, it takes the older one's place. */
export function historyPath(summary: ReportSummary): string {
  const { report, period } = summary
  return [HISTORY, folderOf(report), `${period.from}..${period.to}${scopeMark(summary)}`].join('/')
}

/** Whether a report is on all teams and severities. */
export function isWhole({ teams, severities }: ReportSummary): boolean {
  return teams === 'All teams' && severities === 'All severities'
}

/** Nothing for a report on all incidents; else a mark that is the same for the same accounts, teams and severities. */
export function scopeMark(summary: ReportSummary): string {
  const { accounts, teams, severities } = summary
  if (accounts === null && isWhole(summary)) return ''
  const scope = createHash('sha256').update(JSON.stringify([accounts, teams, severities]))
  return `.${scope.digest('hex').slice(0, 8)}`
}

/** A report's name is that of its file; one that leads upwards or hides does not. */
function folderOf(report: string): string {
  return report.startsWith('.') ? `_${report}` : report
}

/** All pages that are kept in a folder of reports, report by report, the newest period first. */
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

/** Links are not followed: what they lead to is not ours. */
function foldersIn(path: string): string[] {
  if (!existsSync(path)) return []
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
}

function newestFirst({ summary: a }: KeptPage, { summary: b }: KeptPage): number {
  return compare(b.period.to, a.period.to) || compare(b.as_of, a.as_of)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Undefined for a file that is not a summary: somebody else put it there, or a program of other days. */
function readSummary(path: string): ReportSummary | undefined {
  try {
    const summary = JSON.parse(readFileSync(path, 'utf8')) as ReportSummary
    return isComplete(summary) ? summary : undefined
  } catch {
    return undefined
  }
}

/** Whether everything is there that the index says of a page: one that it could not list would keep it from being written. */
function isComplete(summary: ReportSummary): boolean {
  const { report, title, verdict, teams, severities, coverage, accounts, period, gates, warnings } = summary
  const texts = [report, title, verdict, teams, severities, coverage, accounts ?? '', period.from, period.to]
  return (
    [...texts, period.label, period.timezone, ...warnings, ...gates.map(({ message }) => message)].every(
      (text) => typeof text === 'string',
    ) &&
    isZone(period.timezone) &&
    !Number.isNaN(Date.parse(summary.as_of))
  )
}
