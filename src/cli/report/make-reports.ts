import { join } from 'node:path'
import { type Config, loadConfig } from '../../config/config.ts'
import { writeIndex as writeSiteIndex } from '../../delivery/history.ts'
import { pageKey } from '../../delivery/present-pages.ts'
import { PRINT_FORMATS, type PrintFormat } from '../../delivery/print-page.ts'
import { ConfigError, FaultlineError, unknownName, wordsOf } from '../../errors.ts'
import type { ReportResult } from '../../render/result.ts'
import { toJson } from '../../render/to-json.ts'
import { toTerminal } from '../../render/to-terminal.ts'
import { allReports, byPeriod, type Listed, pickReports } from '../../report/list.ts'
import { type RunOptions, runReport } from '../../report/run.ts'
import { accountsIn, pickAccounts, type Sessions, sessionsOf } from '../../report/scope/chosen.ts'
import { FILE_FORMATS, type FileFormat } from '../../report/write.ts'
import { version } from '../../version.ts'
import { publishedAt } from '../../warehouse/file-or-lake.ts'
import { pooled } from '../../warehouse/read/pool.ts'
import type { Reader } from '../../warehouse/read/reader.ts'
import { noteReportRun } from '../../warehouse/read/report-runs.ts'
import { consoleEffects } from '../console.ts'
import type { Context } from '../context.ts'
import { deliverAll, readTargets } from '../deliver-reports.ts'
import { dueReports } from './due-reports.ts'
import { gateStatus } from './each.ts'
import { forEachReport, messageOf, shown } from './for-each-report.ts'
import { makeAccounts } from './make-accounts.ts'
import { makeTeams, teamsToMake } from './make-teams.ts'
import { checkOptions, dimensionsToMake, isPart, makeValues } from './make-values.ts'
import { openState } from './open-state.ts'
import { outFolder } from './out.ts'
import { print } from './print-report.ts'
import { watchFiles } from './watch.ts'
import { writePage } from './write-page.ts'

interface ReportOptions {
  readonly period?: string | undefined
  readonly team?: string | undefined
  readonly teams?: boolean | undefined
  readonly severity?: string | undefined
  readonly account?: string | undefined
  /** Of dimensions of the configuration the chosen values. */
  readonly dimensions?: Readonly<Record<string, string>> | undefined
  /** Dimensions for each value of which they are made too. */
  readonly pages?: string | undefined
  /** Every option that there is, for what was misspelt. */
  readonly known?: readonly string[] | undefined
  /** Each of them by itself, and `--jobs` at a time. */
  readonly allAccounts?: boolean | undefined
  readonly jobs?: string | undefined
  readonly timezone?: string | undefined
  readonly format?: string | undefined
  readonly out?: string | undefined
  readonly json?: boolean | undefined
  readonly deliver?: boolean | undefined
  /** Delivers those whose time has come, see `dueReports`. */
  readonly due?: boolean | undefined
  /** Sends what was sent before, too. */
  readonly again?: boolean | undefined
  readonly watch?: boolean | undefined
  /** Of a lake: a former state. */
  readonly asOfSnapshot?: string | undefined
}

const FORMATS = ['html', 'csv', 'json', 'terminal', 'pdf', 'png'] as const
type Format = (typeof FORMATS)[number]

/**
 * Makes reports: those of the names, or all. `made` gets every report that was written.
 * @returns the exit status
 */
export async function makeReports(
  context: Context,
  names: readonly string[],
  options: ReportOptions,
  made: (result: ReportResult) => void = () => {},
): Promise<number> {
  const config = loadConfig(context.overrides)
  checkOptions(config, options)
  if (options.watch && !options.allAccounts) return watch(context, config, names, options)
  const reader = await openState(context, config, options.asOfSnapshot)
  try {
    const reports = pickReports(names, allReports(config.reports))
    if (options.allAccounts) return await ofAccounts(context, config, reader, reports, options)
    if (options.deliver || options.due) return await sent(context, config, reader, reports, options)
    return await run(context, config, reader, reports, options, made)
  } finally {
    reader.close()
  }
}

/** Makes reports, or those of them that are due, and delivers them. */
async function sent(
  context: Context,
  config: Config,
  reader: Reader,
  reports: readonly Listed[],
  options: ReportOptions,
): Promise<number> {
  const { team, severity, account, dimensions, timezone, period, again = false } = options
  // Read first, so that a missing password fails at once.
  const targets = readTargets(context, config)
  const given = JSON.stringify({ period, team, severity, account, timezone, ...dimensions })
  const parameters = given === '{}' ? '' : given
  const effects = consoleEffects(context.console, context.verbose)
  const due = options.due
    ? await dueReports(context, config, reports, { targets, again, parameters, effects })
    : undefined
  const wanted = due ? reports.filter(({ name, problem }) => problem || due.has(name)) : reports
  if (wanted.length === 0) {
    context.console.out('No report is due.')
    return 0
  }
  const results: ReportResult[] = []
  const status = await run(context, config, reader, wanted, options, (result) => results.push(result))
  const failures = await deliverAll(context, results, {
    ...{ targets, again, parameters, warehouse: config.warehouse, key: pageKey(period) },
    out: await outFolder(reader, config, options),
    due: (report) => due?.get(report),
  })
  // A gate is no reason to try again, and this is one.
  return failures.length > 0 ? 1 : status
}

/** @throws ConfigError for options that are about one page of all */
async function ofAccounts(
  context: Context,
  config: Config,
  reader: Reader,
  reports: readonly Listed[],
  options: ReportOptions,
): Promise<number> {
  const formats = parseFormats(options.format ?? 'html,csv')
  const other = formats.find((format) => !isOneOf(format, FILE_FORMATS))
  const one =
    other === undefined
      ? (['json', 'teams', 'deliver', 'due', 'watch'] as const).find((one) => options[one])
      : `format ${other}`
  if (one !== undefined) {
    throw new ConfigError(`--${one} is not possible with --all-accounts.`, {
      next: 'Leave it out, or name one account with --account alone.',
    })
  }
  const files = formats.filter((format): format is FileFormat => isOneOf(format, FILE_FORMATS))
  const broken = await forEachReport(
    context,
    reports.filter(({ problem }) => problem),
    async () => 0,
  )
  const sound = reports.filter(({ problem }) => !problem)
  const made = await makeAccounts(context, reader, sound, {
    ...{ wanted: options.account, out: await outFolder(reader, config, options), files, jobs: options.jobs },
    options: optionsOf(config, options),
  })
  return Math.max(broken, made)
}

/** Makes the reports again after every save of a file. Mistakes are printed, and the last good pages stay. */
async function watch(
  context: Context,
  config: Config,
  names: readonly string[],
  options: ReportOptions,
): Promise<number> {
  const picked = () => pickReports(names, allReports(config.reports))
  const files = picked().map(({ file }) => file)
  await watchFiles(
    files,
    async () => {
      try {
        // Opened each time, to see newly published data.
        const reader = await openState(context, config, options.asOfSnapshot)
        await run(context, config, reader, picked(), options, () => {}).finally(() => reader.close())
      } catch (error) {
        if (!(error instanceof FaultlineError)) throw error
        context.console.error(wordsOf(error))
      }
      context.console.note(`watching ${files.map(shown).join(', ')}; Ctrl-C stops`)
    },
    context.signal,
  )
  return 0
}

async function run(
  context: Context,
  config: Config,
  reader: Reader,
  reports: readonly Listed[],
  options: ReportOptions,
  made: (result: ReportResult) => void,
): Promise<number> {
  // What is printed is not written too, unless formats are named.
  const formats =
    options.json && options.format === undefined ? [] : parseFormats(options.format ?? 'html,csv')
  const printed: string[] = []
  const say = (line: string) => (options.json ? context.console.note(line) : context.console.out(line))
  const files = formats.filter((format): format is FileFormat => isOneOf(format, FILE_FORMATS))
  const prints = formats.filter((format): format is PrintFormat => isOneOf(format, PRINT_FORMATS))
  const out = await outFolder(reader, config, options)
  const pages = isPart(options) || files.length === 0 ? [] : dimensionsToMake(config, options.pages)
  const teams = await teamsToMake(context, reader, out, options, config.reporting.teams)
  const sessions = (await ofOneAccount(reader, options.account)) ?? pooled(reader)
  const names = reports.map(({ name }) => name)
  let status = await forEachReport(context, byPeriod(reports), async (report) => {
    const result = await runReport(report.file, sessions, optionsOf(config, options))
    if (options.json) printed.push(toJson(result).trimEnd())
    if (formats.some((format) => format === 'terminal')) {
      say(toTerminal(result, context.console).trimEnd())
    }
    const { written, folder, page } = writePage(result, {
      ...{ out, files, options, names, config },
      teams: teams?.chosen ?? [],
    })
    // Without a browser the rest is made all the same.
    const unprinted = await print(result, join(folder, page), prints, written)
    // Of a former state it would stand among those of the present.
    if (options.asOfSnapshot === undefined) keepRun(context, config, result)
    made(result)
    for (const path of written.filter((file) => !/\.(csv|sql)$/.test(file))) say(shown(path))
    const tables = written.filter((file) => file.endsWith('.csv')).length
    if (tables > 0) say(`${shown(folder)}/${page}/: ${tables} CSV files`)
    for (const warning of result.warnings) context.console.note(`${report.name}: ${warning}`)
    const gate = gateStatus(context, result, report.name)
    if (unprinted) context.console.error(messageOf(unprinted, report))
    if (gate !== 0) return gate
    return unprinted ? unprinted.exitCode : 0
  })
  if (teams) {
    const chosen = { ...teams, all: allReports(config.reports), out, files }
    // Small queries, several side by side: more threads would only wait for each other.
    const own = await openState(context, config, options.asOfSnapshot, { threads: 1 })
    try {
      const made = await makeTeams(context, own, reports, { ...chosen, options: optionsOf(config, options) })
      status = Math.max(status, teams.status, made)
    } finally {
      own.close()
    }
  }
  for (const dimension of pages) {
    const own = await openState(context, config, options.asOfSnapshot, { threads: 1 })
    const chosen = { dimension, all: allReports(config.reports), out, files }
    const made = makeValues(context, own, reports, { ...chosen, options: optionsOf(config, options) })
    status = Math.max(status, await made.finally(() => own.close()))
  }
  if (files.includes('html') && !isPart(options)) writeSiteIndex(out, Date.now())
  // One report is an object, several are an array.
  if (options.json)
    context.console.out(reports.length === 1 && printed[0] ? printed[0] : `[${printed.join(',')}]`)
  return status
}

/** Undefined where no account was named, or several. */
async function ofOneAccount(reader: Reader, wanted: string | undefined): Promise<Sessions | undefined> {
  if (wanted === undefined) return undefined
  const known = await accountsIn(reader)
  const [account, ...others] = pickAccounts(known, wanted)
  return account && others.length === 0 ? sessionsOf(reader, account, known) : undefined
}

const isOneOf = (format: Format, some: readonly string[]) => some.includes(format)

/** Keeps the figures for later runs. A failure is only a warning: the report itself was made. */
function keepRun(context: Context, config: Config, { name, run }: ReportResult): void {
  if (run.figures.length === 0) return
  try {
    noteReportRun(publishedAt(config.warehouse).files, run, { version, now: Date.now() })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    context.console.note(`${name}: the figures could not be kept for later comparison: ${reason}`)
  }
}

function optionsOf(config: Config, options: ReportOptions): RunOptions {
  return {
    period: options.period,
    team: options.team,
    severity: options.severity,
    account: options.account,
    dimensions: options.dimensions,
    timezone: options.timezone,
    defaultTimezone: config.timezone,
    now: Date.now(),
    lists: config.reporting.lists,
    timeoutMs: 1_000 * config.reporting.timeout,
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
