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

export interface Piece {
  readonly columns: readonly ResultColumn[]
  readonly rows: readonly Cell[][]
}

/** Maximum number of rows that are held in memory at the same time. */
export const ROWS_MOST = 1_000_000

/** A function that runs each step of a read and converts its errors. */
export type Run = <Result>(act: () => Promise<Result>) => Promise<Result>

/**
 * Returns the result of `act`. @throws the signal's reason if aborted, because an aborted stream would end without an
 * error. For another error, throws what `named` returns
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

/** Returns the rows of a result in pieces. The first piece contains the columns and no rows. */
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

export async function allOf(pieces: AsyncIterable<Piece>): Promise<Rows> {
  const rows: Cell[][] = []
  let columns: readonly ResultColumn[] = []
  for await (const piece of pieces) {
    columns = piece.columns
    for (const row of piece.rows) rows.push(row)
  }
  return { columns: [...columns], rows }
}

/** Returns the result if it fits into memory. @throws WarehouseError otherwise, before any row is converted */
export function assertFitsInMemory(result: DuckDBMaterializedResult): DuckDBMaterializedResult {
  if (result.rowCount <= ROWS_MOST) return result
  throw new WarehouseError('The result has more than 1,000,000 rows, which are too many to hold at once.', {
    next: 'Count or group them, or add a `limit`; `faultline sql --format csv` and `faultline export` write any number.',
  })
}

/** Returns the error for a result whose rows ended too early. */
export function rowsMissing(count: number, total: number): WarehouseError {
  return new WarehouseError(`Only ${count} of ${total} rows could be read.`, {
    next: 'Run it again. If it persists, check for damage with `faultline check --deep`.',
  })
}
