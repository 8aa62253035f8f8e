import { join } from 'node:path'
import { type Config, loadConfig } from '../../config/config.ts'
import { parseState } from '../../config/parse-timestamp.ts'
import { PRINT_FORMATS, type PrintFormat, printPage } from '../../delivery/print-page.ts'
import { lastShift } from '../../delivery/shifts.ts'
import { replaceFile } from '../../effects.ts'
import { ConfigError, DeliveryError, errorText, unknownName } from '../../errors.ts'
import { reasonOf } from '../../external-errors.ts'
import { FILE_FORMATS } from '../../page/write-report-files.ts'
import type { ReportResult } from '../../render/result.ts'
import { toHtml } from '../../render/to-html.ts'
import { toJson } from '../../render/to-json.ts'
import { toTerminal } from '../../render/to-terminal.ts'
import { allReports, type Listed, pickReports } from '../../report/report-catalog.ts'
import { accountsIn, pickAccounts } from '../../report/scope/report-filters.ts'
import type { ShiftEnd } from '../../report/scope/shift.ts'
import { listFiles } from '../../report/served-files.ts'
import { resolveStorage } from '../../sdk/resolve-storage.ts'
import { shown } from '../../site/error-places.ts'
import { writeIndex } from '../../site/history.ts'
import { accountPart, type ReportPart } from '../../site/output-folders.ts'
import { makeReportParts, writePartList } from '../../site/report-parts.ts'
import type { MadeReport } from '../../site/write-page.ts'
import { version } from '../../version.ts'
import { openReader, type Reader } from '../../warehouse/read/reader.ts'
import { noteReportRun } from '../../warehouse/read/report-runs.ts'
import { consoleEffects } from '../console.ts'
import type { Context } from '../context.ts'
import { startOfDayIn } from '../option-dates.ts'
import { parseCountOption } from '../parse-count-option.ts'
import { chooseParts } from './choose-parts.ts'
import type { ReportOptions } from './report-options.ts'

export interface Run {
  readonly context: Context
  readonly config: Config
  readonly reader: Reader
  readonly reports: readonly Listed[]
  readonly options: ReportOptions
  /** Due time of a scheduled report, in Unix ms. */
  readonly dueAt?: number
  /** Sentences to show on the pages, for example why a sync failed. */
  readonly notes?: readonly string[]
  /** Period of the reports, if the current pages already show a later period. */
  readonly pastPeriod?: string
}

/** Opens the warehouse, and calls `act` with the named reports (default: all). */
export async function withReports<Result>(
  context: Context,
  names: readonly string[],
  options: ReportOptions,
  act: (run: Run) => Promise<Result>,
): Promise<Result> {
  const config = loadConfig(context.overrides)
  const reports = pickReports(names, allReports(config.reports))
  const reader = await openSnapshot(context, config, options.at)
  return act({ context, config, reader, reports, options }).finally(reader.close)
}

/** Opens the published data, or a past snapshot of a lake. @throws ConfigError for an unknown snapshot */
async function openSnapshot(
  { console, signal }: Context,
  config: Config,
  state: string | undefined,
  threads?: number,
): Promise<Reader> {
  const reader = await openReader(await resolveStorage(config.warehouse), {
    ...(threads !== undefined && { threads }),
    memoryLimit: config.reporting.memoryLimit,
    settings: config.settings,
    signal,
    at: parseState(state, '--at', startOfDayIn(config)),
  })
  console.warn(reader.notice)
  return reader
}

export async function makeAccountPages(run: Run): Promise<number> {
  const { reader, options } = run
  const other = formatsOf(options).others[0]
  if (other !== undefined) {
    throw new ConfigError(`--format ${other} cannot be used with --all-accounts.`, {
      next: 'Remove it, or select one account with --account only.',
    })
  }
  const accounts = pickAccounts(await accountsIn(reader), options.account)
  if (accounts.length === 0)
    throw new ConfigError('The warehouse contains no accounts.', { next: 'Run `faultline sync` first.' })
  const request = requestOf(run, { ...options, account: undefined })
  return makeParts(accounts.map(accountPart), request, 'Accounts', 'account')
}

/** Makes the pages of the chosen part (default: all incidents), then those of each wanted team and dimension value. */
export async function makePages(run: Run, made: (report: MadeReport) => void): Promise<number> {
  const { context, config, reader, reports, options } = run
  const { console } = context
  const { prints, others } = formatsOf(options)
  const json: string[] = []
  const say = (line: string) => (options.json ? console.note(line) : console.out(line))
  const base = { ...requestOf(run, options), shifts: await shiftsOf(run) }
  const { out, files } = base
  const hasFiles = files.length > 0
  const { main, teams, values, status } = await chooseParts(context, config, reader, options, hasFiles)
  const isLinked = options.to === undefined || main.kind === 'all'
  const request = { ...base, isLinked, teamPage: (team: string) => addressOf(team, teams) }
  let worst = await makeReportParts([main], {
    ...request,
    async made(result, { written, folder, name, address }) {
      if (options.json) json.push(toJson(result).trimEnd())
      if (others.includes('terminal')) say(toTerminal(result, console).trimEnd())
      // If no browser is available, only the PDF and PNG files are missing.
      const unprinted = await printTo(result, join(folder, name), prints, written)
      listFiles(out, written)
      // The next run compares its figures with the stored ones, so figures from a past snapshot are not stored.
      if (options.at === undefined) await keepRun(context, config, result)
      made({ result, address })
      for (const path of written.filter((file) => !/\.(csv|sql)$/.test(file))) say(shown(path))
      const tables = written.filter((file) => file.endsWith('.csv')).length
      if (tables > 0) say(`${shown(folder)}/${name}/: ${tables} CSV files`)
      if (unprinted) console.error(`${result.name}: ${errorText(unprinted)}`)
      return unprinted?.exitCode ?? 0
    },
  })
  worst = Math.max(worst, status, await makeOtherParts(run, request, teams, values))
  if (files.includes('html') && isLinked) writeIndex(out, Date.now())
  // A single report is printed as an object, several reports as an array.
  if (options.json) console.out(reports.length === 1 && json[0] ? json[0] : `[${json.join(',')}]`)
  return worst
}

async function makeOtherParts(
  { context, config, options }: Run,
  request: Request,
  teams: readonly ReportPart[],
  values: readonly ReportPart[],
): Promise<number> {
  if (teams.length + values.length === 0) return 0
  // These queries are small and run in parallel. With several threads each, they would only wait for each other.
  const reader = await openSnapshot(context, config, options.at, 1)
  const each = { ...request, reader }
  let status = 0
  try {
    if (teams.length > 0) status = await makeParts(teams, each, 'Teams', 'team')
    for (const dimension of new Set(values.map(({ folder }) => folder.split('/')[0]!))) {
      const some = values.filter(({ folder }) => folder.startsWith(`${dimension}/`))
      status = Math.max(status, await makeParts(some, each, `By ${dimension}`, 'value'))
    }
    return status
  } finally {
    reader.close()
  }
}

async function makeParts(
  parts: readonly ReportPart[],
  request: Request,
  title: string,
  thing: string,
): Promise<number> {
  writePartList(request.out, title, parts)
  const status = await makeReportParts(parts, request)
  const folder = shown(join(request.out, parts[0]!.folder.split('/')[0]!))
  request.log.out(`${folder}/: pages of ${parts.length} ${thing}${parts.length === 1 ? '' : 's'}`)
  return status
}

/** Returns the address of a team's pages, or of the team list if several accounts have a team with this name. */
function addressOf(team: string, teams: readonly ReportPart[]): string | null {
  const [one, ...others] = teams.filter(({ name }) => name === team)
  if (!one) return null
  return others.length > 0 ? 'teams/index.html' : `${one.folder}/index.html`
}

async function shiftsOf({ context, config, reports, options, dueAt }: Run): Promise<Map<string, ShiftEnd>> {
  const ledger = (await resolveStorage(config.warehouse)).deliveries
  const effects = consoleEffects(context.console, context.verbose)
  const due = dueAt === undefined ? undefined : new Date(dueAt).toISOString()
  const shifts = new Map<string, ShiftEnd>()
  for (const { name } of reports.filter(({ isHandover }) => isHandover)) {
    const shift = await lastShift(name, parametersOf(options), { ledger, effects }, due)
    if (shift !== null) shifts.set(name, shift)
  }
  return shifts
}

/** Returns the user's parameters as JSON, for the ledger of deliveries. Empty if there are none. */
export function parametersOf(options: ReportOptions): string {
  const { period, team, severity, account, timezone, dimensions } = options
  const given = JSON.stringify({ period, team, severity, account, timezone, ...dimensions })
  return given === '{}' ? '' : given
}

type Request = ReturnType<typeof requestOf>

function requestOf(run: Run, options: ReportOptions) {
  const { context, config, reader, reports, dueAt, pastPeriod } = run
  const { period, severity, account, timezone } = options
  return {
    reader,
    reports,
    all: allReports(config.reports),
    out: options.to ?? config.out,
    files: formatsOf(options).files,
    names: reports.map(({ name }) => name),
    filters: { severity, account, snapshot: options.at, period: pastPeriod ?? period },
    teamPage: (_: string): string | null => null,
    isLinked: true,
    jobs: parseCountOption('--jobs', options.jobs),
    signal: context.signal,
    log: context.console,
    run: {
      ...{ period, severity, account, timezone, dueAt, notes: run.notes },
      defaultTimezone: config.timezone,
      now: Date.now(),
      lists: config.reporting.lists,
      timeoutMs: 1_000 * config.reporting.timeout,
    },
  }
}

/** Stores the figures, so that the next run can show what changed. If that fails, only prints a warning. */
async function keepRun({ console }: Context, config: Config, { name, run }: ReportResult): Promise<void> {
  if (run.figures.length === 0) return
  try {
    const { files } = await resolveStorage(config.warehouse)
    noteReportRun(files, run, { version, now: Date.now() })
  } catch (error) {
    console.note(`${name}: the figures could not be stored for later comparison: ${reasonOf(error)}`)
  }
}

const FORMATS = [...FILE_FORMATS, 'terminal', ...PRINT_FORMATS] as const

/** With `--json`, no format is wanted by default. @throws ConfigError for an unknown format */
function formatsOf({ json, format = json ? undefined : 'html,csv' }: ReportOptions) {
  const words = format?.split(',').map((word) => word.trim()) ?? []
  const unknown = words.find((word) => FORMATS.every((known) => known !== word))
  if (unknown !== undefined)
    throw new ConfigError(`Unknown format "${unknown}".`, { next: unknownName(unknown, FORMATS) })
  const files = FILE_FORMATS.filter((one) => words.includes(one))
  const prints = PRINT_FORMATS.filter((one) => words.includes(one))
  return { files, prints, others: words.filter((word) => files.every((one) => one !== word)) }
}

/** Writes the wanted PDF and PNG files, and adds their paths to `written`. @returns the error, or null */
async function printTo(
  result: ReportResult,
  path: string,
  formats: readonly PrintFormat[],
  written: string[],
): Promise<DeliveryError | null> {
  if (formats.length === 0) return null
  try {
    const made = await printPage(toHtml(result), formats)
    for (const format of formats) written.push(replaceFile(`${path}.${format}`, made[format]!))
    return null
  } catch (error) {
    if (error instanceof DeliveryError) return error
    throw error
  }
}
