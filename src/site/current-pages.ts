import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../effects.ts'
import type { ReportResult } from '../render/result.ts'
import { type ReportSummary, summaryOf } from '../render/summary.ts'

/** What is said of a page lies with its files, for the index and for the pages beside it. */
const SUMMARY = 'summary.json'
/** A page in the folder of reports. */
export interface SitePage {
  readonly summary: ReportSummary
  /** Values of the small line of each of its cards. */
  readonly trends: readonly (readonly (number | null)[])[]
  /** Its address, seen from the folder. */
  readonly page: string
}

/** Notes what a page says, in the folder of its files. */
export function notePage(out: string, own: string, result: ReportResult): void {
  const trends = result.kpis.map(({ trend }) => trend.map(({ value }) => value))
  replaceFile(join(out, own, SUMMARY), `${JSON.stringify({ summary: summaryOf(result), trends }, null, 1)}\n`)
}

/** The pages of the present that a folder has, by name. */
export function presentPages(out: string): SitePage[] {
  return foldersIn(out).flatMap((name) => readPage(out, name) ?? [])
}

/** Pages of periods that were named. */
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

/** Subfolders; symbolic links are not followed. */
export function foldersIn(path: string): string[] {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return []
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
}

/** Whether it has what an index shows first: one of another version is left out. */
function isWritten(summary: Partial<ReportSummary> | undefined): summary is ReportSummary {
  return (
    Array.isArray(summary?.kpis) &&
    Array.isArray(summary.findings) &&
    [summary.period?.to, summary.teams, summary.as_of].every((text) => typeof text === 'string')
  )
}
