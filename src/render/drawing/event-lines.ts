import { figureText, localDate } from '../format.ts'
import { type Child, h } from '../html.ts'
import type { Frame, FrameEvent, QueryResult } from '../result-parts.ts'
import { shorten } from '../sanitize-text.ts'
import { type Plot, type Size, textWidth } from './plot.ts'
import { type Bucket, bucketsOf } from './time-axis.ts'

/**
 * Number of rows for names, which lines that are close together need. If all rows are full, an event has only a line.
 */
const ROWS = 5
const ROW_HEIGHT = 12
const GAP = 4

/** Returns the events in these buckets by time, with fractional positions: 0.5 is the middle of the first bucket. */
function placesOf(events: readonly FrameEvent[], buckets: readonly Bucket[]) {
  return events.flatMap((event) => {
    const at = localDate(event.day)
    const index = buckets.findIndex(({ at: from, end }) => at >= from && at < end)
    const { at: from, end } = buckets[index] ?? { at, end: at }
    return index < 0
      ? []
      : [{ event, place: index + (at.getTime() - from.getTime()) / (end.getTime() - from.getTime()) }]
  })
}

/** Returns the x positions of the events in these buckets. `at` returns the middle of a bucket. */
export function eventPlaces(
  { events = [] }: Pick<Frame, 'events'>,
  buckets: readonly Bucket[],
  at: (bucket: Bucket) => number,
  width: number,
): number[] {
  // Distance between the middles of two buckets.
  const step = buckets.length > 1 ? (at(buckets.at(-1)!) - at(buckets[0]!)) / (buckets.length - 1) : width
  return placesOf(events, buckets).map(({ place }) => at(buckets[0]!) + (place - 0.5) * step)
}

/** Draws a line with a name for each configured event in these buckets. `at` returns the middle of a bucket. */
export function eventLines(
  { events = [] }: Pick<Frame, 'events'>,
  buckets: readonly Bucket[],
  at: (bucket: Bucket) => number,
  plot: Plot,
  { narrow, width }: Pick<Size, 'narrow' | 'width'>,
): Child {
  const places = eventPlaces({ events }, buckets, at, plot.right - plot.left)
  const most = narrow || width < 500 ? 16 : 32
  const ends: { from: number; to: number }[][] = Array.from({ length: ROWS }, () => [])
  return placesOf(events, buckets).map(({ event }, index) => {
    const x = Math.min(plot.right, Math.max(plot.left, places[index]!))
    const text = shorten(event.name, most)
    const room = textWidth(text)
    const isRight = x + GAP + room <= plot.right
    const box = isRight ? { from: x, to: x + GAP + room } : { from: x - GAP - room, to: x }
    const row = ends.find((taken) =>
      taken.every(({ from, to }) => box.to + GAP < from || box.from - GAP > to),
    )
    row?.push(box)
    const y = plot.top + 8 + ROW_HEIGHT * (row ? ends.indexOf(row) : 0)
    return [
      h('line', { class: 'rule', x1: x, x2: x, y1: plot.top - 4, y2: plot.bottom }),
      row &&
        box.from >= 0 &&
        h('text', { class: isRight ? 'note' : 'note end', x: isRight ? x + GAP : x - GAP, y }, text),
    ]
  })
}

/** Describes the events for screen readers, such as `; new rota on 14 Sep`. Empty if there are none. */
export function eventWords(data: QueryResult, x: string, frame: Frame): string {
  if (!frame.events) return ''
  const date = figureText('date', { timezone: 'UTC' })
  return placesOf(frame.events, bucketsOf(data, x, frame) ?? [])
    .map(({ event }) => `; ${event.name} on ${date(event.day)}`)
    .join('')
}
