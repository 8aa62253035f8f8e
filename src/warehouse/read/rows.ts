import type { DuckDBMaterializedResult, DuckDBResult } from '@duckdb/node-api'
import { type FaultlineError, WarehouseError } from '../../errors.ts'
import { type Cell, cellOf } from './cell.ts'

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

/** Rows that are held at once; more would fill the memory. */
export const ROWS_MOST = 1_000_000

/** What each step of reading goes through, for its errors. */
export type Run = <Result>(act: () => Promise<Result>) => Promise<Result>

/**
 * What `act` gives.
 * @throws what `named` makes of an error, or the signal's reason when it is aborted: rows that come piece by piece just end then
 */
export async function runCancellable<Result>(
  act: () => Promise<Result>,
  signal: AbortSignal | undefined,
  named: (cause: unknown) => FaultlineError,
): Promise<Result> {
  signal?.throwIfAborted()
  try {
    const result = await act()
    signal?.throwIfAborted()
    return result
  } catch (cause) {
    signal?.throwIfAborted()
    throw named(cause)
  }
}

/** The rows of a result in pieces; the first has the columns and no rows. */
export async function* piecesOf(result: DuckDBResult, run: Run): AsyncGenerator<Piece> {
  const types = result.columnTypes()
  const columns = result.columnNames().map((name, index) => ({ name, type: String(types[index]) }))
  yield { columns, rows: [] }
  for (;;) {
    const rows = await run(async () => (await result.fetchChunk())?.getRows().map((row) => row.map(cellOf)))
    if (!rows?.length) return
    yield { columns, rows }
  }
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
export function assertFitsInMemory(result: DuckDBMaterializedResult): DuckDBMaterializedResult {
  if (result.rowCount <= ROWS_MOST) return result
  throw new WarehouseError('The result has more than 1,000,000 rows, which are too many to hold at once.', {
    next: 'Count or group them, or add a `limit`; `faultline sql --format csv` and `faultline export` write any number.',
  })
}

/** What is said of a result whose rows ended too early. */
export function rowsMissing(count: number, total: number): WarehouseError {
  return new WarehouseError(`Only ${count} of ${total} rows could be read.`, {
    next: '`faultline check --deep` looks for damage; run it again otherwise.',
  })
}
