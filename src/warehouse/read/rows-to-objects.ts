import type { Cell } from './cell.ts'
import type { Piece } from './rows.ts'

/** Converts rows to objects. Of two columns with the name `a`, the second becomes `a_1`, as in a subquery of DuckDB. */
export function objectsOf({
  columns,
  rows,
}: Pick<Piece, 'columns'> & { readonly rows: readonly (readonly Cell[])[] }): Record<string, Cell>[] {
  const names = namesOf(columns)
  return rows.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index] ?? null])))
}

function namesOf(columns: Piece['columns']): string[] {
  const taken = new Set(columns.map(({ name }) => name))
  if (taken.size === columns.length) return columns.map(({ name }) => name)
  const given = new Set<string>()
  return columns.map(({ name }) => {
    let own = name
    for (let count = 1; given.has(own) || (own !== name && taken.has(own)); count++) own = `${name}_${count}`
    given.add(own)
    return own
  })
}
