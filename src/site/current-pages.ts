import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../effects.ts'
import type { ReportResult } from '../render/result.ts'
import { type ReportSummary, summaryOf } from '../render/summary.ts'

/** Summary of a page in its folder, which the index and neighboring pages read. */
const SUMMARY = 'summary.json'
export interface SitePage {
  readonly summary: ReportSummary
  readonly trends: readonly (readonly (number | null)[])[]
  /** Relative to the folder of reports. */
  readonly page: string
}

/** Writes the summary of a page to its folder. */
export function notePage(out: string, own: string, result: ReportResult): void {
  const trends = result.kpis.map(({ trend }) => trend.map(({ value }) => value))
  replaceFile(join(out, own, SUMMARY), `${JSON.stringify({ summary: summaryOf(result), trends }, null, 1)}\n`)
}

export function presentPages(out: string): SitePage[] {
  return foldersIn(out).flatMap((name) => readPage(out, name) ?? [])
}

/** Returns the pages of explicitly chosen periods. */
export function pastPages(out: string, report: string): SitePage[] {
  return foldersIn(join(out, report)).flatMap((key) => readPage(out, `${report}/${key}`) ?? [])
}

function readPage(out: string, own: string): SitePage | undefined {
  const page = `${own}.html`
  try {
    const { summary, trends = [] } = JSON.parse(readFileSync(join(out, own, SUMMARY), 'utf8'))
    return existsSync(join(out, page)) && isWritten(summary) ? { summary, trends, page } : undefined
  } catch {
    return undefined
  }
}

/** Returns subfolders, without symbolic links. */
export function foldersIn(path: string): string[] {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return []
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
}

/** Whether a summary has the fields that the index needs. Summaries of other versions might lack them. */
function isWritten(summary: Partial<ReportSummary> | undefined): summary is ReportSummary {
  return (
    Array.isArray(summary?.kpis) &&
    Array.isArray(summary.findings) &&
    [summary.period?.to, summary.teams, summary.as_of].every((text) => typeof text === 'string')
  )
}
