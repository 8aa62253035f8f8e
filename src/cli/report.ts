import { relative } from 'node:path'
import { type Config, loadConfig } from '../config.ts'
import { ConfigError, FaultlineError, ReportError } from '../errors.ts'
import type { ReportResult } from '../render/result.ts'
import { toTerminal } from '../render/to-terminal.ts'
import type { Listed } from '../report/list.ts'
import { checkReport, type RunOptions, runReport } from '../report/run.ts'
import { writeStarter } from '../report/starter.ts'
import { type FileFormat, writeReport } from '../report/write.ts'
import { unknownName } from '../suggest.ts'
import { openReader, type Reader } from '../warehouse/reader.ts'
import type { Context } from './context.ts'
import { deliverAll, readTargets } from './deliver.ts'
import { allReports, pickReports } from './report-files.ts'
import { textTable } from './text-table.ts'

export interface ReportFlags {
  readonly period?: string
  readonly team?: string
  readonly severity?: string
  readonly timezone?: string
  readonly format?: string
  readonly out?: string
  readonly json?: boolean
  readonly deliver?: boolean
}

const FORMATS = ['html', 'csv', 'json', 'terminal'] as const
type Format = (typeof FORMATS)[number]

/**
 * `faultline report`: runs reports, or lists, checks or begins them. `made` is given every report that was written.
 */
export async function reportCommand(
  context: Context,
  words: readonly string[],
  flags: ReportFlags,
  made: (result: ReportResult) => void = () => {},
): Promise<number> {
  const config = loadConfig(context.overrides)
  const [verb, ...rest] = words
  if (verb === 'list') return list(context, config, flags)
  if (verb === 'new') return begin(context, config, rest[0])
  const reader = await openReader(config.warehouse, {
    memoryLimit: config.sync.memoryLimit,
    settings: config.settings,
  })
  try {
    if (verb === 'check') return await check(context, reader, pickReports(rest, allReports(config.reports)))
    const reports = pickReports(words, allReports(config.reports))
    if (!flags.deliver) return await run(context, config, reader, reports, flags, made)
    // Read before anything is made: a password that is missing is told at once.
    const targets = readTargets(context, config)
    const results: ReportResult[] = []
    const status = await run(context, config, reader, reports, flags, (result) => results.push(result))
    const failures = await deliverAll(context, results, { targets, out: flags.out ?? config.out })
    return Math.max(status, failures.length > 0 ? 1 : 0)
  } finally {
    reader.close()
  }
}

function list(context: Context, config: Config, flags: ReportFlags): number {
  const reports = allReports(config.reports)
  if (flags.json) context.console.out(JSON.stringify(reports))
  else {
    const rows = reports.map(({ name, title, schedule, problem }) => [
      name,
      problem ? `${shown(problem.file)}:${problem.line}: ${problem.message}` : title,
      schedule ?? '-',
    ])
    context.console.out(textTable([['name', 'title', 'schedule'], ...rows]).join('\n'))
  }
  return reports.some((report) => report.problem) ? 1 : 0
}

function begin(context: Context, config: Config, name: string | undefined): number {
  if (name === undefined)
    throw new ConfigError('The new report needs a name.', { next: 'faultline report new my-team' })
  if (config.reports === undefined) {
    throw new ConfigError('There is no folder for reports of your own.', {
      next: 'Set `reports` in config.json, such as "reports": "./my-reports".',
    })
  }
  context.console.out(writeStarter(config.reports, name))
  return 0
}

async function check(context: Context, reader: Reader, reports: readonly Listed[]): Promise<number> {
  return forEachReport(context, reports, async (report) => {
    await checkReport(report.file, reader)
    context.console.out(`${report.name}: ok`)
  })
}

async function run(
  context: Context,
  config: Config,
  reader: Reader,
  reports: readonly Listed[],
  flags: ReportFlags,
  made: (result: ReportResult) => void,
): Promise<number> {
  const formats = flags.json ? (['json'] as const) : parseFormats(flags.format ?? 'html,csv')
  const files = formats.filter((format): format is FileFormat => format !== 'terminal')
  const out = flags.out ?? config.out
  return forEachReport(context, reports, async (report) => {
    const result = await runReport(report.file, reader, optionsOf(config, flags))
    if (formats.some((format) => format === 'terminal')) {
      context.console.out(toTerminal(result, context.console).trimEnd())
    }
    const written = writeReport(result, out, files)
    made(result)
    for (const path of written.filter((file) => !file.endsWith('.csv'))) context.console.out(shown(path))
    const tables = written.filter((file) => file.endsWith('.csv')).length
    if (tables > 0) context.console.out(`${shown(out)}/${report.name}/: ${tables} CSV files`)
    for (const warning of result.warnings) context.console.note(`${report.name}: ${warning}`)
  })
}

/** One report that fails does not keep the others from being made; the exit status tells. */
async function forEachReport(
  context: Context,
  reports: readonly Listed[],
  act: (report: Listed) => Promise<void>,
) {
  let status = 0
  for (const report of reports) {
    try {
      if (report.problem) throw report.problem
      await act(report)
    } catch (error) {
      if (!(error instanceof FaultlineError)) throw error
      context.console.note(
        `error: ${placeOf(error, report)}: ${error.message}${error.next ? `\n  ${error.next}` : ''}`,
      )
      status = Math.max(status, error.exitCode)
    }
  }
  return status
}

/** `my-reports/my-team.md:12` for a mistake in a file, so that an editor can jump to it; else the report's name. */
function placeOf(error: FaultlineError, report: Listed): string {
  return error instanceof ReportError ? `${shown(error.file)}:${error.line}` : report.name
}

function shown(path: string): string {
  return relative('', path) || path
}

function optionsOf(config: Config, flags: ReportFlags): RunOptions {
  return {
    period: flags.period,
    team: flags.team,
    severity: flags.severity,
    timezone: flags.timezone,
    defaultTimezone: config.timezone,
  }
}

function parseFormats(text: string): Format[] {
  const words = text.split(',').map((word) => word.trim())
  for (const word of words) {
    if (!(FORMATS as readonly string[]).includes(word)) {
      throw new ConfigError(`There is no format "${word}".`, { next: unknownName(word, FORMATS) })
    }
  }
  return words as Format[]
}
