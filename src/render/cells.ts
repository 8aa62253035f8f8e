import { numberOf } from './format.ts'
import type { QueryResult, Value } from './result.ts'

/** Reads the cells of a row by the names of their columns. */
export interface Cells {
  value(row: readonly Value[], column: string): Value
  number(row: readonly Value[], column: string): number | null
  text(row: readonly Value[], column: string): string
  isTrue(row: readonly Value[], column: string): boolean
}

/** Access to the cells of a result by column name. A column that does not exist holds nulls. */
export function cellsOf(data: Pick<QueryResult, 'columns'>): Cells {
  const index = new Map(data.columns.map(({ name }, position) => [name, position]))
  const value = (row: readonly Value[], column: string) => row[index.get(column) ?? -1] ?? null
  return {
    value,
    isTrue: (row, column) => value(row, column) === true,
    number: (row, column) => numberOf(value(row, column)),
    text: (row, column) => {
      const found = value(row, column)
      return found === null ? '(none)' : String(found)
    },
  }
}
