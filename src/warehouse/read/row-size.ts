import type { DuckDBConnection } from '@duckdb/node-api'
import { quoteIdentifier } from '../../definitions/quote.ts'
import { WarehouseError } from '../../errors.ts'

/** Maximum memory for one row, in bytes. */
const ROW_MOST = 200_000_000
/** Maximum memory for rows that are read together, in bytes. */
const TOGETHER = 32_000_000

/** JavaScript memory of a list, struct or map, as a multiple of the length of its text. */
const NESTED_WEIGHT = 50

/**
 * Returns how many rows can be read at once if all are as large as the largest. Returns undefined for 2,048 or more,
 * because DuckDB never reads more at once.
 * @throws WarehouseError if one row is too large
 */
export async function rowsTogether(connection: DuckDBConnection, table: string): Promise<number | undefined> {
  const empty = await connection.run(`from ${table} limit 0`)
  const types = empty.columnTypes().map(String)
  const columns = empty.columnNames().flatMap((column, index) => {
    const type = types[index]!
    if (/[[(]/.test(type) && !type.startsWith('DECIMAL'))
      return [{ column, size: `${NESTED_WEIGHT} * strlen(${quoteIdentifier(column)}::varchar)` }]
    return /^(VARCHAR|JSON|BLOB|BIT)$/.test(type)
      ? [{ column, size: `strlen(${quoteIdentifier(column)}::varchar)` }]
      : []
  })
  if (columns.length === 0) return undefined
  const sizes = columns.map(({ size }) => `coalesce(${size}, 0)`)
  const found = await connection.runAndReadAll(
    `select ${[sizes.join(' + '), ...sizes].map((size) => `max(${size})::double`).join(', ')} from ${table}`,
  )
  const [row, ...each] = found.getRows()[0]!.map(Number) as [number, ...number[]]
  if (row > ROW_MOST) {
    const { column } = columns[each.indexOf(Math.max(...each))]!
    throw new WarehouseError(
      `One row is too large to write: about ${Math.round(row / 1e6)} MB in memory, most of it in \`${column}\`.`,
      {
        next: 'Use less of it (`left`, a slice, a `limit` inside), or convert each element to a row with `unnest`.',
      },
    )
  }
  return row * 2_048 <= TOGETHER ? undefined : Math.max(1, Math.floor(TOGETHER / row))
}
