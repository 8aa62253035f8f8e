import { join } from 'node:path'
import { DeliveryError } from '../errors.ts'
import type { ReportSummary } from '../render/summary.ts'
import { type IndexReport, toIndex } from '../render/to-index.ts'
import { replaceFile } from '../replace-file.ts'
import { historyPath, keptPages } from './history.ts'

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
  const byReport = new Map<string, IndexReport>()
  for (const { summary, path } of keptPages(out)) {
    const entry = { summary, page: `${path}.html` }
    const known = byReport.get(summary.report)
    byReport.set(
      summary.report,
      known ? { ...known, history: [...known.history, entry] } : { latest: entry, history: [] },
    )
  }
  const reports = [...byReport.values()].sort((a, b) =>
    a.latest.summary.title.localeCompare(b.latest.summary.title, 'en'),
  )
  written(out, () => replaceFile(join(out, 'index.html'), toIndex(reports, new Date(now))))
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
