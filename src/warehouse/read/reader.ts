import type {
  DuckDBConnection,
  DuckDBMaterializedResult,
  DuckDBPreparedStatement,
  DuckDBResult,
} from '@duckdb/node-api'
import { Kysely } from 'kysely'
import type { Place } from '../../config/place.ts'
import { defaultSettings, type Settings } from '../../config/settings.ts'
import { FaultlineError, remedyOf, WarehouseError } from '../../errors.ts'
import { DuckDbDialect } from '../dialect.ts'
import { DuckDBTimestampTZValue, LIST, listValue, StatementType, VARCHAR } from '../duckdb.ts'
import { NoWarehouse } from '../file/files.ts'
import { publishedAt } from '../file-or-lake.ts'
import type { Opened, OpenOptions } from '../published.ts'
import { name as identifier } from '../quote.ts'
import type { Database } from '../schema/database.ts'
import { type Cell, cellOf } from './cell.ts'
import { presentDefinitions } from './present.ts'
import { rowsTogether } from './row-size.ts'
import { stoppable } from './stoppable.ts'

/** A named value a query can use as `$name`. A `Date` is bound as TIMESTAMPTZ, a list as VARCHAR[]. */
type QueryParameter = null | boolean | number | bigint | string | Date | readonly string[]
export type QueryParameters = Readonly<Record<string, QueryParameter>>

/** A column of a result; `type` is DuckDB's name, e.g. `BIGINT` or `TIMESTAMP WITH TIME ZONE`. */
export interface ResultColumn {
  name: string
  type: string
}

export interface Rows {
  columns: ResultColumn[]
  rows: Cell[][]
}

/** Rows of a result, as many at a time as DuckDB gives. */
export interface Piece {
  readonly columns: readonly ResultColumn[]
  readonly rows: readonly Cell[][]
}

export interface KeepOptions {
  readonly parameters?: QueryParameters
  readonly rows?: boolean
  readonly large?: boolean
}

/** One connection with temporary tables of its own. Nothing it does can reach the file or the outside. */
export interface Session {
  /**
   * Runs exactly one statement that only reads; throws `WarehouseError` for anything else, and for a result of more than
   * a million rows, which are held at once.
   */
  query(sql: string, parameters?: QueryParameters): Promise<Rows>
  /** The same in pieces, for results of any size; at least one, which has the columns. */
  stream(sql: string): AsyncIterable<Piece>
  /**
   * Runs one reading statement and keeps its result under `name`, for this session only, so that later
   * queries can read it. With `rows: false` the columns are worked out and no row is computed. What is `large` lies packed on
   * disk where the warehouse is a lake: of a hundred million incidents memory holds, and spills, eight times as much.
   */
  keep(name: string, sql: string, options?: KeepOptions): Promise<void>
  /** Drops what was kept under these names. */
  forget(names: Iterable<string>): Promise<void>
  /** The rows of a table, a view, or what was kept, in their order. */
  read(name: string): Promise<Rows>
  /** Runs a trusted definition, such as a temporary macro. Never call it with text of a report. */
  define(sql: string): Promise<void>
  /**
   * Ends what runs on it: that, and all that is asked of it later, throws the reason; what DuckDB cannot interrupt, such as
   * one call of a function, is left to end by itself. What is left to do is to close it.
   */
  stop(reason: FaultlineError): void
  close(): void
}

/** An open warehouse; itself a session, and the place to get more of them. */
export interface Reader extends Session {
  session(): Promise<Session>
  /** The same state for Kysely's typed queries, on a connection that is made when it is first used, and closed with the reader. */
  typed(): Kysely<Database>
}

export interface ReaderOptions {
  readonly memoryLimit?: string
  readonly settings?: Settings
  /** Ends what runs when it is aborted: it then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Works out constants when a statement runs, within the memory limit: while it is planned nothing bounds them. */
  readonly constantsLate?: boolean
  /** Of a lake: the state to read, by its number or its time; the newest unless given. */
  readonly at?: OpenOptions['at']
  /** Threads for each query; default: as many as there are cores. */
  readonly threads?: number
}

/** Rows that are held at once; more would fill the memory. */
const ROWS_MOST = 1_000_000

/**
 * Opens the published warehouse for reading. The connection cannot write to the file, read or write other
 * files, load extensions, or change these settings again; its time zone is UTC whatever the process says.
 * `memoryLimit` is DuckDB's, e.g. `1GB`. With `settings` every session has them, and this program's definitions, instead
 * of those the file was published with. Throws `WarehouseError` when the file is missing or not readable.
 */
export async function openReader(place: Place, options: ReaderOptions = {}): Promise<Reader> {
  const { signal } = options
  const published = publishedAt(place)
  const { memoryLimit, threads, at } = options
  const opened = await published.open({
    settings: {
      ...(memoryLimit === undefined ? {} : { memory_limit: memoryLimit }),
      ...(threads === undefined ? {} : { threads: String(threads) }),
    },
    at,
  })
  const first = await opened.connect()
  const connections = new Set([first])
  const stop = () => {
    for (const connection of connections) connection.interrupt()
  }
  signal?.addEventListener('abort', stop)
  /** Sessions that were closed while DuckDB was still busy for them. */
  const closing = new Set<Promise<void>>()
  const shut = () => {
    signal?.removeEventListener('abort', stop)
    for (const connection of connections) connection.closeSync()
    if (closing.size === 0) opened.close()
    else void Promise.all(closing).then(() => opened.close())
  }
  const definitions = await asWarehouseError(async () => {
    // Global, and before anything else: a later connection can no longer set it once the configuration is locked.
    await first.run("set global TimeZone = 'UTC'")
    if (options.constantsLate) await first.run("set global disabled_optimizers = 'expression_rewriter'")
    await first.run('set lock_configuration = true')
    const settings = options.settings ?? (opened.holdsDefinitions ? undefined : defaultSettings)
    return settings ? presentDefinitions(first, settings, published.files.reportRuns) : ''
  }, signal).catch((error: unknown) => {
    shut()
    throw error
  })
  let defined: Promise<unknown> | undefined
  // Whoever only wants sessions does not wait for what the reader itself would need.
  const ready = async () => {
    if (definitions) defined ??= asWarehouseError(() => first.run(definitions), signal)
    await defined
  }
  return {
    ...after(ready, sessionOn(first, signal, opened)),
    async session() {
      const connection = await opened.connect()
      connections.add(connection)
      if (definitions) await asWarehouseError(() => connection.run(definitions), signal)
      const session = sessionOn(connection, signal, opened)
      return {
        ...session,
        close() {
          connections.delete(connection)
          const closed = session.close()
          if (closed) closing.add(closed)
        },
      }
    },
    typed() {
      const connect = async () => {
        const connection = await opened.connect()
        connections.add(connection)
        if (!opened.holdsDefinitions && definitions) await connection.run(definitions)
        return connection
      }
      return new Kysely<Database>({ dialect: new DuckDbDialect(connect, () => {}) })
    },
    close: shut,
  }
}

/** The same; undefined where nothing was published yet. */
export async function openIfThere(place: Place, options: ReaderOptions = {}): Promise<Reader | undefined> {
  return openReader(place, options).catch((error: unknown) => {
    if (error instanceof NoWarehouse) return undefined
    throw error
  })
}

/** The same session, that does something before its first use. */
function after(ready: () => Promise<void>, session: Session): Session {
  return {
    query: async (...given) => ready().then(() => session.query(...given)),
    async *stream(...given) {
      await ready()
      yield* session.stream(...given)
    },
    keep: async (...given) => ready().then(() => session.keep(...given)),
    forget: async (...given) => ready().then(() => session.forget(...given)),
    read: async (...given) => ready().then(() => session.read(...given)),
    define: async (...given) => ready().then(() => session.define(...given)),
    stop: (reason) => session.stop(reason),
    close: () => session.close(),
  }
}

/** So that sessions of one reader do not meet in the database that they share. */
let largeOnes = 0

/** A session whose connection is closed when nothing runs on it any more; undefined when it is at once. */
interface OwnSession extends Session {
  close(): Promise<void> | undefined
}

function sessionOn(
  connection: DuckDBConnection,
  ending: AbortSignal | undefined,
  { guard, packed: database }: Pick<Opened, 'guard' | 'packed'>,
): OwnSession {
  const { signal, wait, stop, close } = stoppable(connection, ending)
  const run = <Result>(act: () => Promise<Result>) => asWarehouseError(() => wait(act), signal)
  async function* pieces(result: DuckDBResult): AsyncGenerator<Piece> {
    yield* piecesOf(result, run)
  }
  /** The rows of a table in their order; large ones a few at a time. */
  async function* stored(table: string, total: number): AsyncGenerator<Piece> {
    const together = await run(() => rowsTogether(connection, table))
    if (together === undefined) return yield* pieces(await run(() => connection.stream(`from ${table}`)))
    for (let from = 0; from < Math.max(total, 1); from += together) {
      const some = `from ${table} where rowid >= ${from} and rowid < ${from + together}`
      for await (const piece of pieces(await run(() => connection.run(some))))
        if (from === 0 || piece.rows.length > 0) yield piece
    }
  }
  /** The tables behind the names of what is packed. */
  const packedAs = new Map<string, string>()
  return {
    async query(sql, parameters = {}) {
      const statement = await run(() => bounded(connection, sql, guard))
      return run(async () => {
        try {
          bind(statement, parameters)
          return await allOf(pieces(held(await statement.run())))
        } finally {
          // What it holds is DuckDB's, which a collection of our own garbage would free too late.
          statement.destroySync()
        }
      })
    },
    async *stream(sql) {
      const statement = await run(() => only(connection, sql, guard))
      const total = await run(() => madeWhole(connection, sql))
      if (total === undefined) return yield* pieces(await run(() => statement.run()))
      const names = Array.from({ length: statement.columnCount }, (_, index) => statement.columnName(index))
      let count = 0
      for await (const { columns, rows } of stored(RESULT, total)) {
        count += rows.length
        yield { columns: columns.map((column, index) => ({ ...column, name: names[index]! })), rows }
      }
      if (count !== total) throw rowsMissing(count, total)
    },
    async keep(name, sql, { parameters = {}, rows = true, large = false } = {}) {
      // What is not plainly one statement that reads is compiled alone first.
      const isPlain = await run(() => checkFunctions(connection, sql, guard))
      if (!isPlain) await run(() => only(connection, sql, guard))
      const text = `as ${withoutEnd(sql)}\n${rows ? '' : 'with no data'}`
      const packed =
        database && large ? `${database}.main.${identifier(`${name} ${++largeOnes}`)}` : undefined
      const make = async () => {
        const statement = await connection.prepare(
          packed
            ? `create table ${packed} ${text}`
            : `create or replace temp table ${identifier(name)} ${text}`,
        )
        try {
          bind(statement, parameters)
          await statement.run()
          if (packed)
            await connection.run(`create or replace temp view ${identifier(name)} as from ${packed}`)
          if (packed) packedAs.set(name, packed)
        } finally {
          statement.destroySync()
        }
      }
      await run(async () => {
        // A result may have the name of a view: for this session it takes its place.
        await make().catch(async (error: unknown) => {
          if (!/is of type View/.test(String(error))) {
            // Its errors speak of the author's own lines when it is compiled alone.
            await only(connection, sql, guard)
            throw error
          }
          await connection.run(`drop view temp.main.${identifier(name)}`)
          await make()
        })
      })
    },
    async read(name) {
      const table = identifier(name)
      return run(async () => {
        await rowsTogether(connection, table)
        return allOf(pieces(held(await connection.run(`from ${table} limit ${ROWS_MOST + 1}`))))
      })
    },
    async forget(names) {
      const statements = Array.from(names, (name) => {
        const packed = packedAs.get(name)
        packedAs.delete(name)
        const kept = `temp.main.${identifier(name)}`
        return packed ? `drop view ${kept}; drop table ${packed}` : `drop table if exists ${kept}`
      })
      await run(() => connection.run(statements.join(';')))
    },
    async define(sql) {
      await run(() => connection.run(sql))
    },
    stop,
    close,
  }
}

/**
 * The rows of a result in pieces; the first has the columns and no rows.
 * @param run what each step goes through, for its errors
 */
export async function* piecesOf(
  result: DuckDBResult,
  run: <Result>(act: () => Promise<Result>) => Promise<Result>,
): AsyncGenerator<Piece> {
  const types = result.columnTypes()
  const columns = result.columnNames().map((name, index) => ({ name, type: String(types[index]) }))
  yield { columns, rows: [] }
  for (;;) {
    const rows = await run(async () => (await result.fetchChunk())?.getRows().map((row) => row.map(cellOf)))
    if (!rows?.length) return
    yield { columns, rows }
  }
}

/** Where a result lies that is read piece by piece: in memory, and on disk what does not fit. */
const RESULT = 'temp.main."result of sql"'

/**
 * Makes the result of a statement whole. Rows that come piece by piece just end where one of them cannot be made, without
 * an error; those of a table can all be read.
 * @returns how many rows there are; undefined for what only describes, of which no table can be made
 */
async function madeWhole(connection: DuckDBConnection, sql: string): Promise<number | undefined> {
  try {
    const made = await connection.runAndReadAll(
      `create or replace temp table ${RESULT} as ${withoutEnd(sql)}`,
    )
    return Number(made.getRows()[0]?.[0])
  } catch (cause) {
    if (/^Parser Error/.test(String(cause instanceof Error ? cause.message : cause))) return undefined
    throw cause
  }
}

/** What is said of a result whose rows ended too early. */
export function rowsMissing(count: number, total: number): WarehouseError {
  return new WarehouseError(`Only ${count} of ${total} rows could be read.`, {
    next: '`faultline check --deep` looks for damage; run it again otherwise.',
  })
}

/** The rows of a result at once. */
export async function allOf(pieces: AsyncIterable<Piece>): Promise<Rows> {
  const rows: Cell[][] = []
  let columns: readonly ResultColumn[] = []
  for await (const piece of pieces) {
    columns = piece.columns
    for (const row of piece.rows) rows.push(row)
  }
  return { columns: [...columns], rows }
}

/** The same result, if its rows may be held at once. @throws WarehouseError otherwise, before one of them is an object here */
function held(result: DuckDBMaterializedResult): DuckDBMaterializedResult {
  if (result.rowCount <= ROWS_MOST) return result
  throw new WarehouseError('The result has more than 1,000,000 rows, which are too many to hold at once.', {
    next: 'Count or group them, or add a `limit`; `faultline sql --format csv` and `faultline export` write any number.',
  })
}

/**
 * Compiles `sql`, which has to be one statement that reads, so that it gives one row more than are held at once and no more:
 * DuckDB makes a result whole, in memory that no limit bounds.
 */
async function bounded(
  connection: DuckDBConnection,
  sql: string,
  guard: Opened['guard'],
): Promise<DuckDBPreparedStatement> {
  if (await checkFunctions(connection, sql, guard)) {
    const text = `from (${withoutEnd(sql)}\n) limit ${ROWS_MOST + 1}`
    // Its errors speak of the author's own lines when it is compiled alone.
    const statement = await connection.prepare(text).catch(() => undefined)
    const names = Array.from({ length: statement?.columnCount ?? 0 }, (_, index) =>
      statement!.columnName(index),
    )
    // Of columns with one name all but the first would get a number.
    if (statement && !names.some((name) => /_\d+$/.test(name))) return statement
    statement?.destroySync()
  }
  return only(connection, sql, guard)
}

/** Compiles `sql`, which has to be one statement that reads. */
async function only(
  connection: DuckDBConnection,
  sql: string,
  guard: Opened['guard'],
): Promise<DuckDBPreparedStatement> {
  return asWarehouseError(async () => {
    const isPlain = await checkFunctions(connection, sql, guard)
    const statements = await connection.extractStatements(sql)
    // To compile a function may be to connect to a server: only what the parser's tree shows is compiled.
    if (guard && !isPlain) await only(connection, explained(sql), guard)
    const last = statements.count - 1
    // It is a list of values that DuckDB makes a type of first.
    const isPivot =
      last > 0 && /pivot/i.test(sql) && /__pivot_enum_/.test(await failureOf(statements.prepare(last)))
    if (isPivot) {
      throw new WarehouseError(
        '`pivot` has to find out its columns in a statement of its own, and only one is possible here.',
        {
          next: "Name the values that become columns: pivot incidents on incident_severity in ('Critical', 'Warning') using count(*).",
        },
      )
    }
    if (statements.count !== 1) {
      throw new WarehouseError(`One statement is expected here, and this text holds ${statements.count}.`, {
        next: 'Split it, or remove what follows the first semicolon.',
      })
    }
    const statement = await statements.prepare(0)
    if (statement.statementType === StatementType.EXPLAIN) await only(connection, explained(sql), guard)
    else if (statement.statementType !== StatementType.SELECT) throw notReading()
    return statement
  })
}

/**
 * Functions that a `select` may call although they change the process, take any address of its memory, or run a text that
 * is put together first: locking the configuration does not keep them away.
 */
const FORBIDDEN = new Set([
  ...['enable_logging', 'disable_logging', 'truncate_duckdb_logs', 'write_log'],
  ...['enable_profiling', 'disable_profiling', 'enable_profile', 'disable_profile'],
  ...['checkpoint', 'force_checkpoint', 'sleep_ms', 'query', 'json_execute_serialized_sql'],
  ...['arrow_scan', 'arrow_scan_dumb', 'seq_scan'],
])

/**
 * Asks DuckDB's own parser: it alone knows what is a name, a text or a comment. What is no `select` it leaves out.
 * @returns whether the text is one `select`
 */
async function checkFunctions(
  connection: DuckDBConnection,
  sql: string,
  guard: Opened['guard'],
): Promise<boolean> {
  const found = await connection.runAndReadAll('select json_serialize_sql($sql::varchar)', { sql })
  const tree = String(found.getRows()[0]![0])
  const named = tree.matchAll(/"function_name":"([^"]*)"/g)
  const forbidden = [...named].map(([, name]) => name!.toLowerCase()).find((name) => FORBIDDEN.has(name))
  if (forbidden === undefined) {
    guard?.(tree)
    return JSON.parse(tree).statements?.length === 1
  }
  throw new WarehouseError(`\`${forbidden}\` is not possible here: it does more than read the warehouse.`, {
    next: 'Leave it out.',
  })
}

async function failureOf(act: Promise<unknown>): Promise<string> {
  return act.then(() => '', String)
}

/**
 * What is to be explained: with `analyze` it is also run, and DuckDB lets `copy` write to the very file that is open.
 * Only comments to the end of a line are passed over; where others end is not for an expression to say.
 */
function explained(sql: string): string {
  const found =
    /^(?:\s|--[^\n]*\n)*explain(?:\s+analyze\b|\s*\(\s*(?:analyze|format)\b[\w\s,]*\)|(?=[\s(]))(.*)$/is.exec(
      sql,
    )
  const rest = found?.[1]
  if (rest === undefined) throw notReading()
  return rest
}

function notReading(): WarehouseError {
  return new WarehouseError('Only statements that read are possible here.', {
    next: 'Begin the query with `select`, `with` or `from`.',
  })
}

function bind(statement: DuckDBPreparedStatement, parameters: QueryParameters): void {
  for (let index = 1; index <= statement.parameterCount; index++) {
    const name = statement.parameterName(index)
    if (!Object.hasOwn(parameters, name)) {
      const known = Object.keys(parameters).map((each) => `$${each}`)
      throw new WarehouseError(`The query uses $${name}, which is not a parameter.`, {
        next: known.length ? `There are ${known.join(', ')}.` : 'This query takes no parameters.',
      })
    }
    bindOne(statement, index, parameters[name] as QueryParameter)
  }
}

function bindOne(statement: DuckDBPreparedStatement, index: number, value: QueryParameter): void {
  if (value === null) statement.bindNull(index)
  else if (typeof value === 'boolean') statement.bindBoolean(index, value)
  else if (typeof value === 'number') statement.bindDouble(index, value)
  else if (typeof value === 'bigint') statement.bindBigInt(index, value)
  else if (typeof value === 'string') statement.bindVarchar(index, value)
  else if (value instanceof Date) {
    statement.bindTimestampTZ(index, new DuckDBTimestampTZValue(BigInt(value.getTime()) * 1000n))
  } else statement.bindList(index, listValue([...value]), LIST(VARCHAR))
}

async function asWarehouseError<Result>(act: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
  signal?.throwIfAborted()
  try {
    const result = await act()
    // Rows that come piece by piece just end when they are interrupted.
    signal?.throwIfAborted()
    return result
  } catch (cause) {
    signal?.throwIfAborted()
    if (cause instanceof FaultlineError) throw cause
    const message = cause instanceof Error ? cause.message : String(cause)
    throw new WarehouseError(message.replace(/^Failed to \w+ statements?: /, ''), {
      cause,
      // Only of files and memory: a column may be called `checksum`.
      next: /^(IO|Out of Memory|FATAL|Fatal) Error/.test(message) ? remedyOf(message) : undefined,
    })
  }
}

function withoutEnd(sql: string): string {
  return sql.replace(/[\s;]+$/, '')
}
