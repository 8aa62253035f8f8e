import { rollup } from 'd3-array'
import { cellsOf } from './cells.ts'
import type { ChartBlock } from './chart.ts'
import { bucketsOf } from './drawing/time-axis.ts'
import { figureText } from './format.ts'
import type { Frame, QueryResult } from './result-parts.ts'
import type { Format } from './spec.ts'

export function numbersOf(data: QueryResult, column: string): (number | null)[] {
  const cells = cellsOf(data)
  return data.rows.map((row) => cells.number(row, column))
}

/** Returns the sum of the known values, or null if no value is known. */
export function sumOf(values: readonly (number | null)[]): number | null {
  return values.reduce((sum, value) => (value === null ? sum : (sum ?? 0) + value), null)
}

/** Describes the range of `values`, such as `open incidents from 3 to 9, latest 4`. */
export function rangeWords(
  name: string,
  values: readonly (number | null)[],
  show: (value: number) => string,
  last: number | null = null,
): string {
  const known = values.filter((value) => value !== null)
  const words = name === '' ? '' : `${name.replaceAll('_', ' ')} `
  if (known.length === 0) return `${words}without values`
  const ends = `${words}from ${show(Math.min(...known))} to ${show(Math.max(...known))}`
  return last === null ? ends : `${ends}, latest ${show(last)}`
}

/** Describes the range of the weekly sums. “Latest” is the sum of the last complete week in the period. */
export function rangeOverTime(
  { data, spec }: ChartBlock<{ type: string; x: string; format: Format }>,
  column: string,
  frame: Frame,
  name = '',
): string {
  const cells = cellsOf(data)
  const sums = rollup(
    data.rows,
    (rows) => sumOf(rows.map((row) => cells.number(row, column))),
    (row) => cells.text(row, spec.x),
  )
  const buckets = bucketsOf(data, spec.x, frame)
  const whole = buckets?.findLast(({ key, partial, after }) => !partial && !after && sums.get(key) != null)
  const last = buckets ? whole && sums.get(whole.key) : [...sums.values()].at(-1)
  return rangeWords(name, [...sums.values()], figureText(spec.format, frame), last)
}

/** Lists the name and figure of each row, such as `Critical 5 min, Warning none`. */
export function rowWords(
  { data, spec }: ChartBlock<{ type: string; y: string; format: Format }>,
  column: string,
  frame: Frame,
): string {
  const cells = cellsOf(data)
  const show = figureText(spec.format, frame)
  const words = data.rows.map((row) => {
    const value = cells.number(row, column)
    return `${cells.text(row, spec.y)} ${value === null ? 'none' : show(value)}`
  })
  return words.join(', ')
}
