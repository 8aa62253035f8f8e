import type { DuckDBConnection, DuckDBPreparedStatement } from '@duckdb/node-api'
import { quoteIdentifier } from '../../definitions/quote.ts'
import type { ViewFile } from '../../definitions/view-file.ts'
import type { FaultlineError } from '../../errors.ts'
import { matchesMeaning } from '../../external-errors.ts'
import { statementError } from '../database-errors.ts'
import type { Opened } from '../published.ts'
import { bind, type QueryParameters } from './bind.ts'
import { stoppable } from './cancellable.ts'
import { type Checked, check, compile, compileAtMost, type Guarded, withoutEnd } from './guard.ts'
import { confine, type Reach } from './reach.ts'
import { rowsTogether } from './row-size.ts'
import {
  allOf,
  assertFitsInMemory,
  type Piece,
  piecesOf,
  ROWS_MOST,
  type Rows,
  type Run,
  rowsMissing,
  runCancellable,
} from './rows.ts'

interface KeepOptions {
  readonly parameters?: QueryParameters
  /** Whether to store the rows. Otherwise, stores only the columns. */
  readonly rows?: boolean
  /**
   * Whether the result is large. If the warehouse is a lake, it is then stored on disk, compressed to an eighth of its
   * size.
   */
  readonly large?: boolean
}

/** One connection with its own temporary tables. Its statements can only read. */
export interface Session {
  /** The definitions from `sql/` and the user's own folder. Statements can use them. */
  readonly definitions: readonly ViewFile[]
  /** Runs one statement. @throws WarehouseError if it does more than read, or returns more than a million rows */
  query(sql: string, parameters?: QueryParameters): Promise<Rows>
  /**
   * Returns a result of any size in pieces, of which there is at least one. @param reach what the statement can read
   */
  stream(sql: string, parameters?: QueryParameters, reach?: Reach): AsyncIterable<Piece>
  /** Stores the result of a statement under `name`, so that later statements of this session can use it. */
  keep(name: string, sql: string, options?: KeepOptions): Promise<void>
  forget(names: Iterable<string>): Promise<void>
  /** Returns the rows of a table, a view, or a stored result, in their stored order. */
  read(name: string): Promise<Rows>
  /** Runs statements of this program, such as the definition of a macro. Never call it with SQL from a report. */
  define(sql: string): Promise<void>
  /** Ends the running statement. This statement and all later ones throw the reason. Close the session afterwards. */
  stop(reason: FaultlineError): void
  close(): void
}

/** A session without definitions. `close` returns a promise if a statement is still running. */
export interface OpenSession extends Omit<Session, 'definitions'> {
  close(): Promise<unknown> | undefined
}

type Asked = Guarded & { readonly run: Run }

/**
 * Creates a session on a connection.
 * @param ending if aborted, statements throw its reason
 * @param definitions names of the macros that statements can call
 */
export function sessionOn(
  connection: DuckDBConnection,
  { packed }: Pick<Opened, 'packed'>,
  ending: AbortSignal | undefined,
  definitions: Iterable<string> = [],
): OpenSession {
  const macros = new Set(definitions)
  const { signal, wait, stop, close } = stoppable(connection, ending)
  const run: Run = (act) => runCancellable(() => wait(act), signal, statementError)
  const asked = { connection, macros, run }
  return {
    query: (sql, parameters = {}) => query(asked, sql, parameters),
    stream: (sql, parameters = {}, reach = undefined) => stream(asked, sql, parameters, reach),
    ...keeping(asked, packed),
    async read(name) {
      const table = quoteIdentifier(name)
      return run(async () => {
        await rowsTogether(connection, table)
        return allOf(
          piecesOf(assertFitsInMemory(await connection.run(`from ${table} limit ${ROWS_MOST + 1}`)), run),
        )
      })
    },
    define(sql) {
      for (const [, made] of sql.matchAll(/\bmacro\s+(\w+)/gi)) macros.add(made!.toLowerCase())
      return run(async () => void (await connection.run(sql)))
    },
    stop,
    close,
  }
}

async function query(asked: Asked, sql: string, parameters: QueryParameters): Promise<Rows> {
  const { connection, run } = asked
  const statement = await run(async () => compileAtMost(ROWS_MOST + 1, connection, await check(asked, sql)))
  return run(async () => allOf(piecesOf(assertFitsInMemory(await runOnce(statement, parameters)), run)))
}

/** Runs a prepared statement and frees its memory in DuckDB, which the garbage collector would do too late. */
async function runOnce(statement: DuckDBPreparedStatement, parameters: QueryParameters) {
  try {
    bind(statement, parameters)
    return await statement.run()
  } finally {
    statement.destroySync()
  }
}

/** Temporary table for a result that is read in pieces. If it does not fit into memory, DuckDB writes it to disk. */
const RESULT = 'temp.main."result of sql"'

async function* stream(
  asked: Asked,
  sql: string,
  parameters: QueryParameters,
  reach: Reach | undefined,
): AsyncGenerator<Piece> {
  const { connection, run } = asked
  const text = reach === undefined ? sql : await run(() => confine(asked, sql, reach))
  const checked = await run(() => check(asked, text))
  const statement = await run(() => compile(connection, checked))
  const total = await run(() => madeWhole(connection, checked, parameters))
  if (total === undefined) return yield* piecesOf(await run(() => statement.run()), run)
  const names = Array.from({ length: statement.columnCount }, (_, index) => statement.columnName(index))
  let count = 0
  for await (const { columns, rows } of stored(asked, RESULT, total)) {
    count += rows.length
    yield { columns: columns.map((column, index) => ({ ...column, name: names[index]! })), rows }
  }
  if (count !== total) throw rowsMissing(count, total)
}

/**
 * Stores a complete result in a table. If DuckDB cannot compute a row, a stream would just end, without an error.
 * @returns the number of rows, or undefined for `describe` and similar statements, whose result cannot become a table
 */
async function madeWhole(
  connection: DuckDBConnection,
  { text, before }: Checked,
  parameters: QueryParameters,
): Promise<number | undefined> {
  if (before !== '') return undefined
  try {
    const sql = `create or replace temp table ${RESULT} as ${withoutEnd(text)}`
    const made = await runOnce(await connection.prepare(sql), parameters)
    return Number((await made.getRows())[0]?.[0])
  } catch (cause) {
    if (matchesMeaning(cause, 'noStatement')) return undefined
    throw cause
  }
}

/** Returns the rows of a table in their stored order. If the rows are large, reads only a few at a time. */
async function* stored({ connection, run }: Asked, table: string, total: number): AsyncGenerator<Piece> {
  const together = await run(() => rowsTogether(connection, table))
  if (together === undefined) return yield* piecesOf(await run(() => connection.stream(`from ${table}`)), run)
  for (let from = 0; from < Math.max(total, 1); from += together) {
    const some = `from ${table} where rowid >= ${from} and rowid < ${from + together}`
    for await (const piece of piecesOf(await run(() => connection.run(some)), run))
      if (from === 0 || piece.rows.length > 0) yield piece
  }
}

/** Number of large results so far. Their names contain it, because all sessions store them in the same database. */
let largeOnes = 0

/**
 * Returns functions that store results under names, and forget them. @param packed name of the database for large
 * results
 */
function keeping(asked: Asked, packed: string | undefined): Pick<Session, 'keep' | 'forget'> {
  const { connection, run } = asked
  const packedAs = new Map<string, string>()
  const make = async (name: string, text: string, parameters: QueryParameters, large: boolean) => {
    const kept = quoteIdentifier(name)
    const table = packed && large ? `${packed}.main.${quoteIdentifier(`${name} ${++largeOnes}`)}` : undefined
    const create = `create ${table ? `table ${table}` : `or replace temp table ${kept}`} as ${text}`
    await runOnce(await connection.prepare(create), parameters)
    if (table === undefined) return
    await connection.run(`create or replace temp view ${kept} as from ${table}`)
    packedAs.set(name, table)
  }
  return {
    async keep(name, sql, { parameters = {}, rows = true, large = false } = {}) {
      const checked = await run(() => check(asked, sql))
      const text = `${checked.before}${withoutEnd(checked.text)}\n${rows ? '' : 'with no data'}`
      await run(() =>
        make(name, text, parameters, large).catch(async (error: unknown) => {
          if (!matchesMeaning(error, 'isView')) {
            // Compiles the original statement, so that the error shows the line of the text as it was written.
            await compile(connection, checked)
            throw error
          }
          // Drops a temporary view with the same name, which the result replaces.
          await connection.run(`drop view temp.main.${quoteIdentifier(name)}`)
          await make(name, text, parameters, large)
        }),
      )
    },
    async forget(names) {
      const statements = Array.from(names, (name) => {
        const table = packedAs.get(name)
        packedAs.delete(name)
        const kept = `temp.main.${quoteIdentifier(name)}`
        return table ? `drop view ${kept}; drop table ${table}` : `drop table if exists ${kept}`
      })
      await run(() => connection.run(statements.join(';')))
    },
  }
}
