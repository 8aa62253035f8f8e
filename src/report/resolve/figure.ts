import { ReportError } from '../../errors.ts'
import type { QueryResult, Value } from '../../render/result.ts'
import type { Reference } from '../parse/block-schema.ts'
import type { Place } from '../parse/report-errors.ts'

/** The rows of the current and of the previous period. */
export interface Pair {
  now: readonly Value[] | null
  before: readonly Value[] | null
}

/** Returns the row of each period, or the only row. @throws ReportError if there are several rows per period */
export function pairOf(result: QueryResult, at: Place): Pair {
  const period = result.columns.findIndex(({ name }) => name === 'period')
  const one = (rows: QueryResult['rows'], of: string) => {
    if (rows.length > 1) {
      const message = `A single figure is read here, but ${result.name} has ${rows.length} rows${of}.`
      throw new ReportError(message, at, { next: 'Aggregate to one row, or to one row for each period.' })
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

/** Returns a cell, or null if the row or column is missing. */
export function cell(result: QueryResult, row: readonly Value[] | null | undefined, column: string): Value {
  const index = result.columns.findIndex(({ name }) => name === column)
  return row?.[index] ?? null
}

/** Returns a figure of the current period. @throws ReportError like `pairOf` */
export function valueNow(
  { results }: { results: ReadonlyMap<string, QueryResult> },
  { query, column }: Reference,
  at: Place,
): Value {
  const result = results.get(query)!
  return cell(result, pairOf(result, at).now, column)
}
