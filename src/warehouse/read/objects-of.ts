import type { Cell } from './cell.ts'
import type { Piece } from './rows.ts'

/** The rows of a result as objects by column. */
export function objectsOf({
  columns,
  rows,
}: Pick<Piece, 'columns'> & { readonly rows: readonly (readonly Cell[])[] }): Record<string, Cell>[] {
  return rows.map((row) => Object.fromEntries(columns.map(({ name }, index) => [name, row[index] ?? null])))
}
