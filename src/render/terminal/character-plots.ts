import { lastComplete } from '../../page/sentences/chart-sentences.ts'
import type { ChartBlock } from '../chart.ts'
import { type Bucket, bucketsOf, partialNote } from '../drawing/time-axis.ts'
import { figureText } from '../format.ts'
import type { Frame } from '../result-parts.ts'
import { sparks } from '../sparkline.ts'
import type { Format } from '../spec.ts'
import { bar, categoryStyle, pad, safe, type Terminal, thinned } from './paint.ts'

/** Values of a sparkline. If `style` is the name of a severity, it decides the color. */
export interface Series {
  name: string
  style: string
  values: readonly (number | null)[]
}

export function figureLine(as: Format, frame: Frame): (value: number | null) => string {
  const show = figureText(as, frame)
  return (value) => safe(show(value))
}

/** Draws a sparkline per series, followed by the value of its last complete week. The last line is the time range. */
export function seriesLines(
  rows: readonly Series[],
  { data, spec }: ChartBlock<{ type: string; x: string; format: Format }>,
  frame: Frame,
  { width, paint }: Terminal,
): string[] {
  const show = figureLine(spec.format, frame)
  const buckets = bucketsOf(data, spec.x, frame) ?? []
  const room = Math.max(10, width - 34)
  const whole = buckets.findLastIndex(({ partial }) => !partial)
  const places = rows.map(({ values }) =>
    values.findLastIndex((value, index) => value !== null && !buckets[index]?.partial),
  )
  const drawn = rows.map(({ name, style, values }, row) => {
    const line = pad(sparks(thinned(values, room)), Math.min(room, values.length))
    return `${pad(safe(name), 14)} ${paint(categoryStyle(style), line)} ${show(values[places[row]!] ?? null)}`
  })
  const isOlder = places.some((place) => place >= 0 && place < whole)
  const time = timeText(buckets, isOlder)
  return time === '' ? drawn : [...drawn, paint('dim', `${' '.repeat(15)}${time}`)]
}

/** Returns `Week of 3 Aug to 26 Oct (in progress; figures are of the last complete one)`. Empty without dates. */
function timeText(buckets: readonly Bucket[], isOlder: boolean): string {
  const [first, last] = [buckets[0], buckets.at(-1)]
  if (!first || !last) return ''
  const note = last.partial ? ` (${partialNote(last)}; ${lastComplete(isOlder)})` : ''
  return `${first.label} to ${last.label.replace('Week of ', '')}${note}`
}

export function barLines(
  rows: readonly { name: string; value: number | null }[],
  { width, paint }: Terminal,
  show: (value: number | null) => string,
): string[] {
  const highest = Math.max(Number.MIN_VALUE, ...rows.map(({ value }) => value ?? 0))
  const room = Math.max(10, width - 32)
  return rows.map(
    ({ name, value }) =>
      `${pad(safe(name), 16, 'right')} ${paint('blue', bar((value ?? 0) / highest, room))} ${show(value)}`,
  )
}
