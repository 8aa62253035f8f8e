import { join } from 'node:path'
import { DeliveryError } from '../errors.ts'
import type { ReportSummary } from '../render/summary.ts'
import { type IndexReport, toIndex } from '../render/to-index.ts'
import { replaceFile } from '../replace-file.ts'
import { historyPath, isWhole, type KeptPage, keptPages } from './history.ts'

/**
 * Keeps a report's page of its period, and lists it in `index.html`. Each file appears whole or not at all.
 * @returns path of the page, seen from `out`
 * @throws DeliveryError when the folder cannot be written
 */
export function keepPage(out: string, page: string, summary: ReportSummary, now: number): string {
  const path = historyPath(summary)
  written(out, () => {
    replaceFile(join(out, `${path}.html`), page)
    replaceFile(join(out, `${path}.json`), `${JSON.stringify(summary, null, 2)}\n`)
  })
  writeIndex(out, now)
  return `${path}.html`
}

/**
 * Writes `index.html` anew from the pages that are kept.
 * @throws DeliveryError when the folder cannot be written
 */
export function writeIndex(out: string, now: number): void {
  const byReport = new Map<string, KeptPage[]>()
  for (const page of keptPages(out)) {
    byReport.set(page.summary.report, [...(byReport.get(page.summary.report) ?? []), page])
  }
  const reports = [...byReport.values()]
    .map(indexReport)
    .sort((a, b) => a.latest.summary.title.localeCompare(b.latest.summary.title, 'en'))
  written(out, () => replaceFile(join(out, 'index.html'), toIndex(reports, new Date(now))))
}

/** The latest page is the newest on all teams and severities, if there is one; others come under it. */
function indexReport(pages: readonly KeptPage[]): IndexReport {
  const latest = pages.find(({ summary }) => isWhole(summary)) ?? pages[0]!
  const entry = ({ summary, path }: KeptPage) => ({ summary, page: `${path}.html` })
  return { latest: entry(latest), history: pages.filter((page) => page !== latest).map(entry) }
}

function written(out: string, write: () => void): void {
  try {
    write()
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new DeliveryError(`The page cannot be kept in ${out}: ${reason}`, {
      cause,
      isPassing: false,
      next: 'Check the folder and the space left on the disk.',
    })
  }
}
