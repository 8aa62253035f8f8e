import { ReportError } from '../errors.ts'
import type { QueryResult, Value } from '../render/result.ts'
import type { Place } from './tag.ts'

/** Which rows of a result speak of the current and of the previous period. */
export interface Pair {
  now: readonly Value[] | null
  before: readonly Value[] | null
}

/**
 * The rows a single figure is read from: those whose `period` is `current` and `previous`, or, without such a column,
 * the only row. Throws `ReportError` when there are several to choose from.
 */
export function pairOf(result: QueryResult, at: Place): Pair {
  const period = result.columns.findIndex(({ name }) => name === 'period')
  const one = (rows: QueryResult['rows'], of: string) => {
    if (rows.length > 1) {
      throw new ReportError(
        `A single figure is read here, but ${result.name} has ${rows.length} rows${of}.`,
        at,
        {
          next: 'Aggregate to one row, or to one row for each period.',
        },
      )
    }
    return rows[0] ?? null
  }
  if (period < 0) return { now: one(result.rows, ''), before: null }
  const rowsOf = (name: string) =>
    one(
      result.rows.filter((row) => row[period] === name),
      ` for the ${name} period`,
    )
  return { now: rowsOf('current'), before: rowsOf('previous') }
}

/** The value of a column in a row of a result; null when there is no such row or column. */
export function cell(result: QueryResult, row: readonly Value[] | null | undefined, column: string): Value {
  const index = result.columns.findIndex(({ name }) => name === column)
  return row?.[index] ?? null
}

/** Samples already sorted, by their cell: a card asks for the same one several times. */
const sorted = new WeakMap<object, number[]>()

/** The numbers of a list cell, upwards; what is no number is left out. */
export function sample(value: Value): number[] {
  if (!Array.isArray(value)) return []
  const known = sorted.get(value)
  if (known) return known
  const numbers = value
    .filter((each) => typeof each === 'number' || typeof each === 'bigint')
    .map(Number)
    .sort((a, b) => a - b)
  sorted.set(value, numbers)
  return numbers
}

/** Whether a column only carries the values behind another one, for intervals and verdicts. */
export function isSample(column: string): boolean {
  return column.endsWith('_sample')
}
