import { checkOptions, type Expected } from '../check-options.ts'
import type { FileFormat } from '../page/write-report-files.ts'
import type { ReportResult } from '../render/result.ts'
import type { RunOptions } from '../report/ask-queries.ts'
import { type OwnRules, settingsBy } from './own-settings.ts'
import { type LakeOptions, parseLocation } from './parse-location.ts'
import { resolveStorage } from './resolve-storage.ts'

/** A report and its warehouse. Period, team, severity, account and zone work as in `faultline report`. */
export interface ReportOptions
  extends Omit<RunOptions, 'timeoutMs' | 'text' | 'seenFrom' | 'dueAt' | 'shift' | 'notes'>,
    OwnRules {
  /** Path of the DuckDB file that `sync` publishes, or the address of a lake. */
  readonly warehouse: string
  /** Access to the lake. */
  readonly lake?: LakeOptions | undefined
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

/** Result of a report. */
export interface MadeReport {
  /** Its blocks, figures and verdicts. Failed gates are in `gates` and do not throw. */
  readonly result: ReportResult
  /** The complete, self-contained page. */
  readonly html: string
  /** Paths of the written files. */
  readonly files: readonly string[]
}

const EXPECTED = {
  ...{
    warehouse: 'required',
    lake: 'object',
    config: 'text',
    sql: 'text',
    report: 'required',
    out: 'text',
    formats: 'list',
  },
  ...{ period: 'text', timezone: 'text', defaultTimezone: 'text', now: 'number' },
  ...{ team: 'names', severity: 'names', account: 'names', dimensions: 'object', lists: 'boolean' },
  ...{ signal: 'signal', timeout: 'number' },
} as const satisfies Expected<ReportOptions>

/**
 * Runs a report.
 * @throws ReportError with file and line, also after the timeout, ConfigError for an option, WarehouseError for the file, the
 * signal's reason
 */
export async function runReport(options: ReportOptions): Promise<MadeReport> {
  checkOptions('runReport', options, EXPECTED)
  const {
    warehouse,
    lake,
    config,
    sql,
    report,
    out,
    formats = ['html', 'csv'],
    signal,
    timeout,
    ...parameters
  } = options
  const { allReports, pickReports } = await import('../report/report-catalog.ts')
  const { runReport: run } = await import('../page/run-report.ts')
  const { writeReport } = await import('../page/write-report-files.ts')
  const { toHtml } = await import('../render/to-html.ts')
  const { openReader } = await import('../warehouse/read/reader.ts')
  const file = report.endsWith('.md') ? report : pickReports([report], allReports(undefined))[0]!.file
  const reader = await openReader(await resolveStorage(await parseLocation(warehouse, lake)), {
    settings: await settingsBy({ config, sql }),
    signal,
  })
  try {
    const result = await run(file, reader, { now: Date.now(), ...parameters, timeoutMs: timeout })
    return { result, html: toHtml(result), files: out === undefined ? [] : writeReport(result, out, formats) }
  } finally {
    reader.close()
  }
}
