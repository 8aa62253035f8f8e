import { basename, dirname, resolve as resolvePath } from 'node:path'
import { quoteIdentifier } from '../definitions/quote.ts'
import { runAfter } from '../effects.ts'
import { ConfigError, ReportError, WarehouseError } from '../errors.ts'
import { firstLineOf } from '../external-errors.ts'
import { contextOf } from '../render/format.ts'
import type { Block, QueryColumn, QueryResult, ReportResult } from '../render/result.ts'
import { inlineText, leadText } from '../render/text.ts'
import type { Reader } from '../warehouse/read/reader.ts'
import type { Session } from '../warehouse/read/session.ts'
import { checkSamples } from './check-samples.ts'
import { checkSeverities } from './check-severities.ts'
import { compile } from './compile.ts'
import { onlyConfigured } from './drop-unconfigured-blocks.ts'
import { checkLists, listQueries, listsOf, NO_LISTS } from './incidents/lists.ts'
import { numbersOf } from './incidents/of-findings.ts'
import { isWrong } from './metrics/check-conditions.ts'
import { ownMeasures } from './metrics/own-measures.ts'
import { readsOf } from './parse/column-requirements.ts'
import { parseParameters, type RawParameters } from './parse/parameters.ts'
import { parseReport, type Query, type Report, readReport } from './parse/parse.ts'
import { stop, type Tell } from './parse/report-errors.ts'
import { namesRead } from './referenced-names.ts'
import { reportText } from './report-text.ts'
import { countedOf, isEmpty, leftOutOf, stillOpenOf } from './resolve/counted.ts'
import { qualityGates } from './resolve/data-quality.ts'
import { sampleKind } from './resolve/figure-sample.ts'
import { figuresOf, type Shapes } from './resolve/figures.ts'
import { sayFindings } from './resolve/findings.ts'
import { judgeGates } from './resolve/judge-gates.ts'
import { findingQueries, linkFindings, readFindings } from './resolve/read-findings.ts'
import { resolve } from './resolve/resolve.ts'
import { sayRowVerdicts } from './resolve/row-verdicts.ts'
import { reportSubject } from './resolve/subject.ts'
import { verdictsOf } from './resolve/verdicts.ts'
import { restatementOf } from './restatement.ts'
import { runFacts } from './run-facts.ts'
import { type OpenFrame, openFrame } from './scope/frame.ts'
import type { Sessions } from './scope/report-filters.ts'
import { isHandover, readShiftEnd, type ShiftOptions, shiftWarnings } from './scope/shift.ts'

/** Options of a run. They override the report’s front matter. */
export interface RunOptions extends RawParameters, ShiftOptions {
  /** Time zone if neither the caller nor the report sets one. */
  defaultTimezone?: string | undefined
  /** Unix ms, used only for the age of the data. */
  now?: number | undefined
  /** False omits all links to incidents, and does not read these. */
  lists?: boolean | undefined
  timeoutMs?: number | undefined
  /** Text of a report that has no file. `file` is then only used to find metrics. */
  text?: string | undefined
  /** The local day used to resolve the period. The default is the day of `dueAt` or of the data. */
  seenFrom?: string | undefined
}

const OF_RUN = ['defaultTimezone', 'now', 'lists', 'timeoutMs', 'text', 'seenFrom', 'dueAt', 'shift', 'notes']

/**
 * Runs a report. Later queries can read earlier ones by name. Equal data gives equal results, independent of the
 * process. Failed checks are part of the result.
 * @throws ReportError with file and line, also for a timeout
 * @throws ConfigError for invalid options
 */
export async function runReport(
  file: string,
  reader: Sessions,
  options: RunOptions = {},
): Promise<ReportResult> {
  const act = async (session: Session): Promise<ReportResult> => {
    const written = parseReport(options.text ?? reportText(file), file, await ownMeasures(session))
    const report = await onlyConfigured(written, session)
    const open = await openFrame(session, parametersOf(report, options), {
      ...options,
      accounts: reader.accounts,
      queries: queriesOf(report, options),
    })
    const { results, shapes } = await runQueries(session, report, open, stop)
    compile(report, shapes, stop)
    await checkSamples(session, report, shapes, stop)
    const figures = await figuresOf(session, report, shapes, open.comparable)
    const context = contextOf(open.frame)
    sayRowVerdicts(report, results, figures, context)
    const base = { ...open, context, results, figures }
    const read = await readFindings(session, report, open, { ...base, ...NO_LISTS })
    const found =
      options.lists === false
        ? NO_LISTS
        : await listsOf(session, report, results, open.bound, open.frame, numbersOf(read?.all ?? []))
    // Definitions used from here on read warehouse tables, which a result may hide by its name.
    await session.forget(results.keys())
    const known = { ...base, linksOf: found.linksOf }
    const findings = read && sayFindings(report, linkFindings(read, found, known), known)
    const blocks = resolve(report, known, findings)
    const kpis = blocks.flatMap((block) => (block.kind === 'kpis' ? block.cards : []))
    const verdicts = verdictsOf(report, known)
    const counted = await countedOf(session, open, report, verdicts)
    const stillOpen = isEmpty(counted.funnel) ? await stillOpenOf(session, open) : null
    const facts = await runFacts(session, report, open, known, kpis)
    return {
      name: report.name,
      title: report.front.title,
      subject: await reportSubject(session, report, open, findings?.first ?? null, context),
      verdict: verdictOf(blocks),
      kpis,
      source: `${basename(dirname(resolvePath(file)))}/${basename(file)}`,
      frame: { ...open.frame, ...leftOutOf(counted) },
      // A report about open incidents is not empty if there are some, or new ones.
      empty: stillOpen !== null && !(report.front.about_open && stillOpen.all + stillOpen.came > 0),
      stillOpen,
      blocks,
      queries: withUnits(report, [...results.values()]),
      verdicts,
      lists: found.lists,
      findings: findings?.table ?? null,
      counted,
      coverage: open.coverage,
      gates: [...judgeGates(report.gates, known), ...(await qualityGates(session, open, options.now))],
      // Handovers cover different shifts, so they are not compared.
      restated: isHandover(report) ? null : await restatementOf(session, report, facts, open, known.context),
      run: facts,
      ...(isHandover(report) && { shiftEnd: await readShiftEnd(session, open.frame.asOfInstant) }),
      warnings: [...open.warnings, ...found.warnings, ...shiftWarnings(report, options, open.frame)],
    }
  }
  return within(reader, act, options.timeoutMs)
}

const queriesOf = (report: Report, { lists = true }: RunOptions) => [
  ...report.queries.map(({ sql }) => sql),
  ...findingQueries(report),
  ...(lists ? listQueries(report) : []),
]

/** Checks every block of a report without computing rows. The warehouse may be empty. Returns all mistakes by line. */
export async function mistakesOf(file: string, reader: Reader): Promise<ReportError[]> {
  const mistakes: ReportError[] = []
  const tell = (mistake: ReportError) => mistakes.push(mistake)
  await within(reader, async (session) => {
    const report = readReport(reportText(file), file, tell, await ownMeasures(session))
    if (!report) return
    // An invalid period is already reported.
    const parameters = attemptParameters(report)
    const open = await openFrame(session, parameters, {
      rows: false,
      queries: [...report.queries.map(({ sql }) => sql), ...listQueries(report)],
    })
    await checkSeverities(session, report, parameters, tell)
    const { shapes } = await runQueries(session, report, open, tell, false)
    compile(report, shapes, tell)
    await checkSamples(session, report, shapes, tell)
    await checkLists(session, report, shapes, open.bound, tell)
  })
  const isFirst = ({ line, message }: ReportError, place: number) =>
    mistakes.findIndex((one) => one.line === line && one.message === message) === place
  return mistakes.filter(isFirst).toSorted((a, b) => a.line - b.line)
}

/** Throws the first mistake of a report, see `mistakesOf`. */
export async function checkReport(file: string, reader: Reader): Promise<void> {
  const [mistake] = await mistakesOf(file, reader)
  if (mistake) throw mistake
}

/** Returns the findings, or else the first paragraph before any heading. */
function verdictOf(blocks: readonly Block[]): string {
  const first = blocks.find(({ kind }) => ['findings', 'paragraph', 'heading'].includes(kind))
  if (first?.kind === 'findings') return leadText(first)
  return first?.kind === 'paragraph' ? inlineText(first.content) : ''
}

function parametersOf({ front }: Report, options: RunOptions) {
  const given = Object.fromEntries(
    Object.entries(options).filter(([key, value]) => !OF_RUN.includes(key) && value !== undefined),
  )
  return parseParameters({ ...front.params, ...given })
}

/** A check works with any parameters. Mistakes in them are already reported. */
function attemptParameters(report: Report) {
  try {
    return parametersOf(report, {})
  } catch (error) {
    if (error instanceof ConfigError) return parseParameters({})
    throw error
  }
}

async function within<Result>(
  reader: Pick<Reader, 'session'>,
  act: (session: Session) => Promise<Result>,
  timeoutMs?: number,
): Promise<Result> {
  const session = await reader.session()
  const timer =
    timeoutMs === undefined ? undefined : runAfter(timeoutMs, () => session.stop(tooLong(timeoutMs)))
  try {
    return await act(session)
  } finally {
    clearTimeout(timer)
    session.close()
  }
}

function tooLong(ms: number): WarehouseError {
  const limit = ms < 60_000 ? `${ms / 1_000} s` : `${Math.round(ms / 6_000) / 10} min`
  return new WarehouseError(`The report took longer than ${limit}.`, {
    next: 'Look at its slowest query with `faultline sql`, or raise `reporting.timeout`.',
  })
}

interface Answers {
  results: Map<string, QueryResult>
  shapes: Shapes
}

async function runQueries(
  session: Session,
  report: Report,
  { bound }: OpenFrame,
  tell: Tell,
  rows = true,
): Promise<Answers> {
  const results = new Map<string, QueryResult>()
  const shapes = new Map<string, readonly QueryColumn[] | null>(
    report.queries.map(({ name }) => [name, null]),
  )
  const failed: string[] = []
  for (const query of report.queries) {
    const { name, sql } = query
    try {
      if (await isWrong(session, query.conditions ?? [], tell)) {
        failed.push(name)
        continue
      }
      await session.keep(name, sql, { parameters: bound, rows })
      const { columns } = await session.query(`from ${quoteIdentifier(name)} limit 0`)
      shapes.set(name, columns)
      // Samples stay in the session, because only macros use them.
      const shown = columns.filter((column) => sampleKind(column) === null)
      const asked = shown.map((column) => quoteIdentifier(column.name)).join(', ')
      const answer = asked
        ? await session.query(`select ${asked} from ${quoteIdentifier(name)}`)
        : { columns: [], rows: [] }
      results.set(name, { name, sql: sql.trimEnd(), ...answer })
    } catch (cause) {
      if (!(cause instanceof WarehouseError)) throw cause
      // A query that reads a failed query fails only for that reason.
      const read = failed.length > 0 ? await namesRead(session, [sql]) : new Set()
      if (!failed.some((one) => read.has(one))) tell(placedInFile(cause, query))
      failed.push(name)
    }
  }
  return { results, shapes }
}

/** Marks duration columns with their unit for files, where `tta` becomes `tta_s`. Names that contain the unit stay. */
function withUnits(report: Report, queries: readonly QueryResult[]): QueryResult[] {
  const durations = readsOf(report).filter(({ format }) => format === 'duration')
  const seconds = new Set(durations.map(({ query, column }) => `${query}.${column}`))
  return queries.map((query) => ({
    ...query,
    columns: query.columns.map((column) => {
      const { name } = column
      const isNamed = /(_s|seconds)$/.test(name) || query.columns.some((other) => other.name === `${name}_s`)
      const made = report.queries.find((one) => one.name === query.name)?.seconds
      const isSeconds = made?.has(name) || seconds.has(`${query.name}.${name}`)
      return isSeconds && !isNamed ? { ...column, unit: 's' as const } : column
    }),
  }))
}

function placedInFile(cause: WarehouseError, { name, at, conditions }: Query): ReportError {
  const { line = 1, hint } = cause.statement
  const next = cause.next ?? hint
  return new ReportError(
    `The query "${name}" failed: ${firstLineOf(cause)}`,
    // Generated queries have no lines in the file.
    { file: at.file, line: conditions ? at.line : at.line + line - 1 },
    { cause, ...(next && { next }) },
  )
}
