import type { Cell } from '../warehouse/cell.ts'
import type { Rows } from '../warehouse/reader.ts'

/** The rows of a result as objects by column. */
export function objectsOf({ columns, rows }: Rows): Record<string, Cell>[] {
  return rows.map((row) => Object.fromEntries(columns.map(({ name }, index) => [name, row[index] ?? null])))
}
