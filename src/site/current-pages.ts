import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../effects.ts'
import type { ReportResult } from '../render/result.ts'
import { type ReportSummary, summaryOf } from '../render/summary.ts'
import { isZone } from '../settings/zone.ts'

const SUMMARY = 'summary.json'

interface SitePage {
  readonly summary: ReportSummary
  /** Path relative to the folder of reports. */
  readonly page: string
}

/** Writes the summary of a page to its folder. The index and the links between periods need the summary. */
export function notePage(out: string, own: string, result: ReportResult): void {
  replaceFile(join(out, own, SUMMARY), `${JSON.stringify({ summary: summaryOf(result) }, null, 1)}\n`)
}

export function presentPages(out: string): SitePage[] {
  return foldersIn(out).flatMap((name) => readPage(out, name) ?? [])
}

/** Returns the pages of a report that were made for a period which the user chose. */
export function pastPages(out: string, report: string): SitePage[] {
  return foldersIn(join(out, report)).flatMap((key) => readPage(out, `${report}/${key}`) ?? [])
}

function readPage(out: string, own: string): SitePage | undefined {
  const page = `${own}.html`
  try {
    const { summary } = JSON.parse(readFileSync(join(out, own, SUMMARY), 'utf8'))
    return existsSync(join(out, page)) && isComplete(summary) ? { summary, page } : undefined
  } catch {
    return undefined
  }
}

/** Returns the names of the subfolders, without symbolic links. */
export function foldersIn(path: string): string[] {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return []
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
}

/** Whether a summary has all fields that the index needs. A summary from another version of the program might not. */
export function isComplete(summary: ReportSummary): boolean {
  const { report, title, verdict, teams, severities, coverage, accounts, period, gates, warnings } = summary
  const texts = [report, title, verdict, teams, severities, coverage, accounts ?? '', period.from, period.to]
  const messages = [
    ...warnings,
    ...gates.map(({ message }) => message),
    ...summary.lead,
    summary.incomplete ?? '',
  ]
  return (
    [...texts, period.label, period.timezone, ...messages].every((text) => typeof text === 'string') &&
    [summary.kpis, summary.findings].every(Array.isArray) &&
    isZone(period.timezone) &&
    !Number.isNaN(Date.parse(summary.as_of))
  )
}
