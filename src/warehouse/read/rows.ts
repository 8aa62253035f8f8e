import type { DuckDBMaterializedResult, DuckDBResult } from '@duckdb/node-api'
import { type FaultlineError, WarehouseError } from '../../errors.ts'
import { type Cell, cellOf } from './cell.ts'

export interface ResultColumn {
  name: string
  /** DuckDB's name for the type, such as `TIMESTAMP WITH TIME ZONE`. */
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

/** Maximum number of rows in memory. */
export const ROWS_MOST = 1_000_000

/** Runs an operation on a connection and converts its errors. */
export type Run = <Result>(act: () => Promise<Result>) => Promise<Result>

/**
 * Runs `act` and converts its errors. Checks the signal again after `act`, because an interrupted stream ends without
 * an error.
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

/** Yields the rows of a result in pieces. The first piece contains the columns and no rows. */
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

/** @throws WarehouseError if the result has more than a million rows */
export function assertFitsInMemory(result: DuckDBMaterializedResult): DuckDBMaterializedResult {
  if (result.rowCount <= ROWS_MOST) return result
  throw new WarehouseError('The result has more than 1,000,000 rows, which are too many to hold at once.', {
    next: 'Count or group them, or add a `limit`; `faultline sql --format csv` and `faultline export` write any number.',
  })
}

export function rowsMissing(count: number, total: number): WarehouseError {
  return new WarehouseError(`Only ${count} of ${total} rows could be read.`, {
    next: 'Run it again. If it persists, check for damage with `faultline check --deep`.',
  })
}
