import { checkOptions, type Expected } from '../check-options.ts'
import type { FileFormat } from '../page/write-report-files.ts'
import type { ReportResult } from '../render/result.ts'
import type { RunOptions } from '../report/ask-queries.ts'
import { openSource, SOURCE, type WarehouseSource } from './warehouse-source.ts'

/** The report and the warehouse to read. Period, team, severity, account and zone work as in `faultline report`. */
export interface ReportOptions
  extends Omit<RunOptions, 'timeoutMs' | 'text' | 'seenFrom' | 'dueAt' | 'shift' | 'notes'>,
    WarehouseSource {
  /** An included report, such as `mtta-mttr`, or the path of a custom report (`*.md`). */
  readonly report: string
  /** Output folder. If undefined, no files are written. */
  readonly out?: string | undefined
  /** Default: html and csv. */
  readonly formats?: readonly FileFormat[] | undefined
  /** Cancels the run, which then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Timeout in milliseconds (default: unlimited). */
  readonly timeout?: number | undefined
}

export interface MadeReport {
  /** Content of the report. A failed quality check is listed in `gates` and does not throw. */
  readonly result: ReportResult
  /** The complete HTML page, which needs no other files. */
  readonly html: string
  readonly files: readonly string[]
}

const EXPECTED = {
  ...SOURCE,
  ...{ report: 'required', out: 'text', formats: 'list' },
  ...{ period: 'text', timezone: 'text', defaultTimezone: 'text', now: 'number' },
  ...{ team: 'names', severity: 'names', account: 'names', dimensions: 'object', lists: 'boolean' },
  ...{ signal: 'signal', timeout: 'number' },
} as const satisfies Expected<ReportOptions>

/**
 * @throws ReportError with file and line (also after the timeout), ConfigError for an invalid option, WarehouseError
 * for an unreadable warehouse, or the signal's reason if aborted
 */
export async function runReport(options: ReportOptions): Promise<MadeReport> {
  checkOptions('runReport', options, EXPECTED)
  const { warehouse, lake, config, sql, report, out, formats = ['html', 'csv'], ...rest } = options
  const { signal, timeout, ...parameters } = rest
  const { allReports, pickReports } = await import('../report/report-catalog.ts')
  const { runReport: run } = await import('../page/run-report.ts')
  const { writeReport } = await import('../page/write-report-files.ts')
  const { toHtml } = await import('../render/to-html.ts')
  const file = report.endsWith('.md') ? report : pickReports([report], allReports(undefined))[0]!.file
  const reader = await openSource({ warehouse, lake, config, sql }, { signal })
  try {
    const result = await run(file, reader, { now: Date.now(), ...parameters, timeoutMs: timeout })
    return { result, html: toHtml(result), files: out === undefined ? [] : writeReport(result, out, formats) }
  } finally {
    reader.close()
  }
}
