import { quoteIdentifier } from '../definitions/quote.ts'
import { ReportError, WarehouseError } from '../errors.ts'
import { firstLineOf } from '../external-errors.ts'
import type { QueryColumn, QueryResult } from '../render/result.ts'
import type { Session } from '../warehouse/read/session.ts'
import { compile, type Shapes } from './check-blocks.ts'
import { checkSamples } from './check-samples.ts'
import { definitionKey } from './definition-key.ts'
import { sampleKind } from './figure-sample.ts'
import { isWrong } from './metrics/check-conditions.ts'
import { parseParameters, type RawParameters } from './parse/parameters.ts'
import type { Query, Report } from './parse/parse.ts'
import { stop, type Tell } from './parse/report-errors.ts'
import { namesRead } from './referenced-names.ts'
import { type OpenFrame, openFrame } from './scope/frame.ts'
import type { ChosenAccounts } from './scope/report-filters.ts'
import type { ShiftOptions } from './scope/shift.ts'

/** Options of a run. They override the front matter of the report. */
export interface RunOptions extends RawParameters, ShiftOptions {
  /** Time zone to use if neither the caller nor the report sets one. */
  defaultTimezone?: string | undefined
  /** Current time in Unix ms, for the age of the data. */
  now?: number | undefined
  /** If false, numbers do not link to lists of incidents. */
  lists?: boolean | undefined
  timeoutMs?: number | undefined
  /** The text of the report, if it is not read from a file. `metrics.yaml` is then read from the folder of `file`. */
  text?: string | undefined
  /** The local date from which `last month` is determined (default: the date of `dueAt`, or of the end of the data). */
  seenFrom?: string | undefined
}

const OF_RUN = ['defaultTimezone', 'now', 'lists', 'timeoutMs', 'text', 'seenFrom', 'dueAt', 'shift', 'notes']

export function parametersOf({ front }: Report, options: RunOptions) {
  const given = Object.fromEntries(
    Object.entries(options).filter(([key, value]) => !OF_RUN.includes(key) && value !== undefined),
  )
  return parseParameters({ ...front.params, ...given })
}

/** Results of a report’s queries, before figures are compared. */
export interface Answers {
  readonly report: Report
  readonly options: RunOptions
  readonly open: OpenFrame
  readonly results: ReadonlyMap<string, QueryResult>
  readonly shapes: Shapes
  readonly definition: string
}

/** Runs the queries of a report. Also creates the relations that the `later` statements of the session read. */
export async function askQueries(
  session: Session,
  report: Report,
  options: RunOptions,
  { accounts, later }: { accounts: ChosenAccounts | undefined; later: readonly string[] },
): Promise<Answers> {
  const queries = [...report.queries.map(({ sql }) => sql), ...later]
  const open = await openFrame(session, parametersOf(report, options), { ...options, accounts, queries })
  const definition = await definitionKey(session, report)
  const { results, shapes } = await runQueries(session, report, open, stop)
  compile(report, shapes, stop)
  await checkSamples(session, report, shapes, stop)
  return { report, options, open, results, shapes, definition }
}

/** Passes errors of queries to `tell`. If `rows` is false, all results are empty. */
export async function runQueries(
  session: Session,
  report: Report,
  { bound }: OpenFrame,
  tell: Tell,
  rows = true,
): Promise<Pick<Answers, 'results' | 'shapes'>> {
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
      // Samples are data for statistical tests. Only macros read samples, so they stay in the session.
      const shown = columns.filter((column) => sampleKind(column) === null)
      const asked = shown.map((column) => quoteIdentifier(column.name)).join(', ')
      const answer = asked
        ? await session.query(`select ${asked} from ${quoteIdentifier(name)}`)
        : { columns: [], rows: [] }
      results.set(name, { name, sql: sql.trimEnd(), ...answer })
    } catch (cause) {
      if (!(cause instanceof WarehouseError)) throw cause
      // A query that reads a failed query also fails. Only the first failure is reported.
      const read = failed.length > 0 ? await namesRead(session, [sql]) : new Set()
      if (!failed.some((one) => read.has(one))) tell(placedInFile(cause, query))
      failed.push(name)
    }
  }
  return { results, shapes }
}

function placedInFile(cause: WarehouseError, { name, at, conditions }: Query): ReportError {
  const { line = 1, hint } = cause.statement
  // A generated query is not in the file, so its errors get the line of its block.
  const place = { file: at.file, line: conditions ? at.line : at.line + line - 1 }
  const message = `The query "${name}" failed: ${firstLineOf(cause)}`
  return new ReportError(message, place, { cause, next: cause.next ?? hint })
}
