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
  /** Whether to store the rows. If false, stores only the columns. */
  readonly rows?: boolean
  /** A lake stores large results on disk, compressed to an eighth of their size. */
  readonly large?: boolean
}

/** A connection with its own temporary tables. Its statements can only read. */
export interface Session {
  /** The definitions from `sql/` and the user's own folder. */
  readonly definitions: readonly ViewFile[]
  /** @throws WarehouseError if the statement does more than read, or returns more than a million rows */
  query(sql: string, parameters?: QueryParameters): Promise<Rows>
  /** Returns a result of any size in at least one piece. `reach` limits what the statement can read. */
  stream(sql: string, parameters?: QueryParameters, reach?: Reach): AsyncIterable<Piece>
  /** Stores a result under `name` for later statements of this session. */
  keep(name: string, sql: string, options?: KeepOptions): Promise<void>
  forget(names: Iterable<string>): Promise<void>
  /** Returns the rows of a table, a view or a stored result, in their stored order. */
  read(name: string): Promise<Rows>
  /** Runs statements of this program without checks. Never call this with SQL from a report. */
  define(sql: string): Promise<void>
  /** The running statement and all later ones throw the reason. Close the session afterwards. */
  stop(reason: FaultlineError): void
  close(): void
}

/** A session whose `close` returns a promise if a statement is still running. */
export interface OpenSession extends Omit<Session, 'definitions'> {
  close(): Promise<unknown> | undefined
}

type Asked = Guarded & { readonly run: Run }

/** Creates a session. `definitions` are names of macros. If `ending` is aborted, statements throw its reason. */
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

/** Runs a statement once, then frees its memory in DuckDB, because the garbage collector would do that too late. */
async function runOnce(statement: DuckDBPreparedStatement, parameters: QueryParameters) {
  try {
    bind(statement, parameters)
    return await statement.run()
  } finally {
    statement.destroySync()
  }
}

/** Temporary table for a streamed result. If it does not fit into memory, DuckDB writes it to disk. */
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
 * Stores a complete result in a table, because a stream would end without an error if DuckDB cannot compute a row.
 * @returns the number of rows, or undefined for statements such as `describe`, whose result cannot become a table
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

/** Returns rows in their stored order. Reads only a few at a time if they are large. */
async function* stored({ connection, run }: Asked, table: string, total: number): AsyncGenerator<Piece> {
  const together = await run(() => rowsTogether(connection, table))
  if (together === undefined) return yield* piecesOf(await run(() => connection.stream(`from ${table}`)), run)
  for (let from = 0; from < Math.max(total, 1); from += together) {
    const some = `from ${table} where rowid >= ${from} and rowid < ${from + together}`
    for await (const piece of piecesOf(await run(() => connection.run(some)), run))
      if (from === 0 || piece.rows.length > 0) yield piece
  }
}

/**
 * Number of large results so far. It makes their names unique, because all sessions store them in the same database.
 */
let largeOnes = 0

/** Stores and removes results. `packed` is the name of the database for large results. */
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
            // The original statement gives the error the correct line.
            await compile(connection, checked)
            throw error
          }
          // The result replaces a temporary view with the same name.
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
