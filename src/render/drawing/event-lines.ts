import { figureText, localDate } from '../format.ts'
import { type Child, h } from '../html.ts'
import type { Frame, QueryResult } from '../result-parts.ts'
import { shorten } from '../sanitize-text.ts'
import { type Plot, type Size, textWidth } from './plot.ts'
import { type Bucket, bucketsOf, type PositionOf } from './time-axis.ts'

/** Number of rows for event names. Events close together use different rows. If all are full, a name is omitted. */
const ROWS = 5
const ROW_HEIGHT = 12
const GAP = 4

type Events = Pick<Frame, 'events'>

/** Returns the events within the buckets. A `place` of 0.5 is the middle of the first bucket. */
function placesOf({ events = [] }: Events, buckets: readonly Bucket[]) {
  return events.flatMap((event) => {
    const day = localDate(event.day)
    const index = buckets.findIndex(({ at, end }) => day >= at && day < end)
    if (index < 0) return []
    const [at, end] = [buckets[index]!.at.getTime(), buckets[index]!.end.getTime()]
    return [{ event, place: index + (day.getTime() - at) / (end - at) }]
  })
}

/** Returns the events within the buckets, with x positions. `at` returns the middle of a bucket. */
export function eventPlaces(frame: Events, buckets: readonly Bucket[], at: PositionOf, width: number) {
  // Distance between the middles of two adjacent buckets.
  const step = buckets.length > 1 ? (at(buckets.at(-1)!) - at(buckets[0]!)) / (buckets.length - 1) : width
  return placesOf(frame, buckets).map(({ event, place }) => ({
    event,
    x: at(buckets[0]!) + (place - 0.5) * step,
  }))
}

/** Draws a line for each configured event and, if there is room, the name of the event. */
export function eventLines(
  frame: Events,
  buckets: readonly Bucket[],
  at: PositionOf,
  plot: Plot,
  { narrow, width }: Pick<Size, 'narrow' | 'width'>,
): Child {
  const most = narrow || width < 500 ? 16 : 32
  const ends: { from: number; to: number }[][] = Array.from({ length: ROWS }, () => [])
  return eventPlaces(frame, buckets, at, plot.right - plot.left).map(({ event, x: place }) => {
    const x = Math.min(plot.right, Math.max(plot.left, place))
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

/** Describes the events for screen readers, such as `; new rota on 14 Sep 2026`. Empty if there are none. */
export function eventWords(data: QueryResult, x: string, frame: Frame): string {
  if (!frame.events) return ''
  const date = figureText('date', { timezone: 'UTC' })
  return placesOf(frame, bucketsOf(data, x, frame) ?? [])
    .map(({ event }) => `; ${event.name} on ${date(event.day)}`)
    .join('')
}
