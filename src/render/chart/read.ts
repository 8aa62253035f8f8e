import { numberOf } from '../format.ts'
import type { QueryResult, Value } from '../result.ts'

/** Reads a column of a row, as a number or as text. */
export interface Columns {
  number(row: readonly Value[], column: string): number | null
  text(row: readonly Value[], column: string): string
  isTrue(row: readonly Value[], column: string): boolean
}

/** Access to the cells of a result by the names of its columns. */
export function columnsOf(data: QueryResult): Columns {
  const index = new Map(data.columns.map(({ name }, position) => [name, position]))
  const value = (row: readonly Value[], column: string) => row[index.get(column) ?? -1] ?? null
  return {
    isTrue: (row, column) => value(row, column) === true,
    number: (row, column) => numberOf(value(row, column)),
    text: (row, column) => {
      const found = value(row, column)
      return found === null ? '(none)' : String(found)
    },
  }
}
