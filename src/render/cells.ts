import { countText, type FormatContext, format, numberOf, plain, plainRange } from './format.ts'
import type { QueryResult, Value } from './result-parts.ts'
import { sparkText } from './sparkline.ts'
import type { TableColumn } from './spec.ts'

export type Cells = ReturnType<typeof cellsOf>

/** Returns functions that read a cell by its column name. A missing column counts as null. */
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

export function cellText(
  { column, format: as, spark }: TableColumn,
  row: readonly Value[],
  { isTrue, value }: Cells,
  context: FormatContext,
): string {
  if (spark === true) return sparkText(value(row, column))
  const shown = plain(format(value(row, column), as, context))
  const isBucket = as === 'date' && /^(day|week|month)$/.test(column)
  return isBucket && isTrue(row, 'is_partial') ? `${shown} (incomplete)` : shown
}

/** Formats the 95% CI and n. Samples below 8 are `few`, because `duration-changes.sql` does not compare them. */
export function basisOf(
  { column, format: as, interval, n, open }: TableColumn,
  row: readonly Value[],
  { isTrue, number, value }: Cells,
  context: FormatContext,
): { few: boolean; text: string } {
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
