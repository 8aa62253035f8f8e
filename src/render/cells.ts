import { countText, type FormatContext, format, numberOf, plain, plainRange } from './format.ts'
import type { QueryResult, Value } from './result/query-result.ts'
import { sparkText } from './sparkline.ts'
import type { TableColumn } from './spec.ts'

/** Reads the cells of a row by the names of their columns. */
export type Cells = ReturnType<typeof cellsOf>

/** Access to the cells of a result by column name. A column that does not exist holds nulls. */
export function cellsOf(data: Pick<QueryResult, 'columns'>) {
  const index = new Map(data.columns.map(({ name }, position) => [name, position]))
  const value = (row: readonly Value[], column: string): Value => row[index.get(column) ?? -1] ?? null
  return {
    value,
    isTrue: (row: readonly Value[], column: string) => value(row, column) === true,
    number: (row: readonly Value[], column: string) => numberOf(value(row, column)),
    text: (row: readonly Value[], column: string) => {
      const found = value(row, column)
      return found === null ? '(none)' : String(found)
    },
  }
}

/** What a figure of a table rests on. */
export interface Basis {
  /** Fewer than 8 incidents: too few to compare, see `sql/statistics/duration-changes.sql`. */
  few: boolean
  /** `52 min – 2 h, n 12`; empty where neither is known. */
  text: string
}

/** A cell in words; a week or a month that is not whole says so, and a goal that nobody set. */
export function cellText(
  { column, format: as, spark, default: isDefault }: TableColumn,
  row: readonly Value[],
  { isTrue, value }: Cells,
  context: FormatContext,
): string {
  if (spark) return sparkText(value(row, column))
  const shown = plain(format(value(row, column), as, context))
  const isBucket = as === 'date' && /^(day|week|month)$/.test(column)
  if (isDefault && isTrue(row, isDefault)) return `${shown} (default)`
  return isBucket && isTrue(row, 'is_partial') ? `${shown}, incomplete` : shown
}

/** The 95 % interval of a figure, and how many incidents it rests on; of one or two no interval is shown. */
export function basisOf(
  { column, format: as, interval, n, open }: TableColumn,
  row: readonly Value[],
  { isTrue, number, value }: Cells,
  context: FormatContext,
): Basis {
  const count = n ? number(row, n) : null
  const ends = interval?.map((name) => value(row, name)) ?? []
  const isKnown = ends.length === 2 && !ends.includes(null) && (count === null || count > 2)
  const waiting = open ? number(row, open) : null
  const isOpen = open ? isTrue(row, open) : false
  const still = isOpen ? 'still open' : waiting ? `${countText(waiting)}\u00a0still open` : ''
  if (number(row, column) === null) return { few: false, text: still }
  return {
    few: count !== null && count < 8,
    text: [
      ...(isKnown ? [plainRange(format(ends[0]!, as, context), format(ends[1]!, as, context))] : []),
      ...(count === null ? [] : [`n\u00a0${countText(count)}`]),
      ...(still ? [still] : []),
    ].join(', '),
  }
}
