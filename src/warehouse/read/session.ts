import type { DuckDBConnection } from '@duckdb/node-api'
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

export interface KeepOptions {
  readonly parameters?: QueryParameters
  readonly rows?: boolean
  readonly large?: boolean
}

/** One connection with temporary tables of its own. Nothing it does can reach the file or the outside. */
export interface Session {
  /** The relations and macros of `sql/`, and of the user's own folder, that its statements can name. */
  readonly definitions: readonly ViewFile[]
  /**
   * Runs exactly one statement that only reads; throws `WarehouseError` for anything else, and for a result of more than
   * a million rows, which are held at once.
   */
  query(sql: string, parameters?: QueryParameters): Promise<Rows>
  /**
   * The same in pieces, for results of any size; at least one, which has the columns.
   * @param reach all that the statement may read; without it, every relation
   */
  stream(sql: string, parameters?: QueryParameters, reach?: Reach): AsyncIterable<Piece>
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

/** A session before it has definitions; its connection is closed when nothing runs on it any more, undefined when it is at once. */
export interface OpenSession extends Omit<Session, 'definitions'> {
  close(): Promise<void> | undefined
}

/** A connection with what each step on it goes through. */
interface Asked extends Guarded {
  readonly run: Run
}

/**
 * A session on a connection to what was opened.
 * @param ending its reason is thrown when it is aborted
 * @param definitions names of what is defined, of which statements may call the macros
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
  return run(async () => {
    try {
      bind(statement, parameters)
      return await allOf(piecesOf(assertFitsInMemory(await statement.run()), run))
    } finally {
      // What it holds is DuckDB's, which a collection of our own garbage would free too late.
      statement.destroySync()
    }
  })
}

/** Where a result lies that is read piece by piece: in memory, and on disk what does not fit. */
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
 * Makes the result of a statement whole. Rows that come piece by piece just end where one of them cannot be made, without
 * an error; those of a table can all be read.
 * @returns how many rows there are; undefined for what only describes, of which no table can be made
 */
async function madeWhole(
  connection: DuckDBConnection,
  { text, before }: Checked,
  parameters: QueryParameters,
): Promise<number | undefined> {
  if (before !== '') return undefined
  try {
    const statement = await connection.prepare(
      `create or replace temp table ${RESULT} as ${withoutEnd(text)}`,
    )
    try {
      bind(statement, parameters)
      const made = await statement.runAndReadAll()
      return Number(made.getRows()[0]?.[0])
    } finally {
      statement.destroySync()
    }
  } catch (cause) {
    if (matchesMeaning(cause, 'noStatement')) return undefined
    throw cause
  }
}

/** The rows of a table in their order; large ones a few at a time. */
async function* stored({ connection, run }: Asked, table: string, total: number): AsyncGenerator<Piece> {
  const together = await run(() => rowsTogether(connection, table))
  if (together === undefined) return yield* piecesOf(await run(() => connection.stream(`from ${table}`)), run)
  for (let from = 0; from < Math.max(total, 1); from += together) {
    const some = `from ${table} where rowid >= ${from} and rowid < ${from + together}`
    for await (const piece of piecesOf(await run(() => connection.run(some)), run))
      if (from === 0 || piece.rows.length > 0) yield piece
  }
}

/** So that sessions of one reader do not meet in the database that they share. */
let largeOnes = 0

/** What a session keeps under names. @param packed the database that holds what is large */
function keeping(asked: Asked, packed: string | undefined): Pick<Session, 'keep' | 'forget'> {
  const { connection, run } = asked
  /** The tables behind the names of what is packed. */
  const packedAs = new Map<string, string>()
  const make = async (name: string, text: string, parameters: QueryParameters, large: boolean) => {
    const kept = quoteIdentifier(name)
    const table = packed && large ? `${packed}.main.${quoteIdentifier(`${name} ${++largeOnes}`)}` : undefined
    const statement = await connection.prepare(
      `create ${table ? `table ${table}` : `or replace temp table ${kept}`} as ${text}`,
    )
    try {
      bind(statement, parameters)
      await statement.run()
    } finally {
      statement.destroySync()
    }
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
            // Its errors speak of the author's own lines when it is compiled alone.
            await compile(connection, checked)
            throw error
          }
          // A result may have the name of a view: for this session it takes its place.
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
