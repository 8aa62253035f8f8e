import { scaleUtc } from 'd3-scale'
import { cellsOf } from '../cells.ts'
import { countText } from '../format.ts'
import { type Child, h } from '../html.ts'
import type { Frame, Links, QueryResult } from '../result-parts.ts'
import type { Format } from '../spec.ts'
import { linkTo } from '../text.ts'
import { eventLines } from './event-lines.ts'
import { headRoom, horizontalGrid, hover, labelRoom, type Plot, readLine, type Size } from './plot.ts'
import { upwardAxis } from './ticks.ts'
import { bucketsOf, type PositionOf, partialNote, periodShades, timeTicks } from './time-axis.ts'

interface PointColumns {
  x: string
  y: readonly string[]
  band: readonly [string, string] | null
  n: string | null
  small: number
  open: string | null
}

/** A day, week or month in a line chart, with one value per line and the range around the first line. */
export type Point = ReturnType<typeof pointsOf>[number]

/** Converts rows to points, sorted by time. Omits the range of a point with a small sample. */
export function pointsOf(data: QueryResult, spec: PointColumns, frame: Frame) {
  const cells = cellsOf(data)
  const buckets = new Map(bucketsOf(data, spec.x, frame)?.map((bucket) => [bucket.key, bucket]))
  return data.rows
    .filter((row) => buckets.has(cells.text(row, spec.x)))
    .map((row) => {
      const n = spec.n === null ? null : cells.number(row, spec.n)
      const [low, high] = spec.band?.map((name) => cells.number(row, name)) ?? []
      const hasBand = low != null && high != null && (n === null || n >= spec.small)
      return {
        bucket: buckets.get(cells.text(row, spec.x))!,
        values: spec.y.map((name) => cells.number(row, name)),
        band: hasBand ? ([low, high] as const) : null,
        n,
        open: spec.open === null ? 0 : (cells.number(row, spec.open) ?? 0),
        row,
      }
    })
    .sort((a, b) => a.bucket.at.getTime() - b.bucket.at.getTime())
}

/** Lays out a chart over time. The values `beside` the points, such as limits, must also fit into the plot. */
export function timePlot(
  points: readonly Point[],
  beside: readonly number[],
  spec: { x: string; scale: 'linear' | 'log'; format: Format },
  size: Size,
  { right, bottom, inset, frame }: { right: number; bottom: number; inset: number; frame: Frame },
) {
  const top = headRoom(size)
  const values = points.flatMap((point) => point.values).filter((value) => value !== null)
  const { y, ticks } = upwardAxis([...values, ...beside], spec, [bottom, top])
  const plot: Plot = { left: labelRoom(ticks.map(({ label }) => label)), right, top, bottom }
  const buckets = points.map(({ bucket }) => bucket)
  const first = buckets[0]?.at ?? new Date(0)
  const x = scaleUtc([first, buckets.at(-1)?.at ?? first], [plot.left + inset, right - inset])
  const at: PositionOf = (bucket) => x(bucket.at)
  return {
    at: ({ bucket }: Point) => at(bucket),
    y,
    plot,
    behind: [periodShades(plot, buckets, at, spec.x), horizontalGrid(ticks, y, plot)],
    events: eventLines(frame, buckets, at, plot, size),
    dates: timeTicks(buckets, at, size.width),
  }
}

export interface Layout {
  at: (point: Point) => number
  y: (value: number) => number
  plot: Plot
  show: (value: number) => string
}

interface Readout extends Layout {
  names: readonly string[]
  size: Size
  links: Links | null | undefined
}

/** Draws what appears when the pointer is over a point: dots, and figures above the plot. */
export function readout(points: readonly Point[], index: number, look: Readout): Child {
  const { at, y, plot, names, show, size, links } = look
  const start = size.narrow ? 0 : plot.left
  const point = points[index]!
  const left = index === 0 ? plot.left : (at(points[index - 1]!) + at(point)) / 2
  const right = index === points.length - 1 ? plot.right : (at(point) + at(points[index + 1]!)) / 2
  const figures = names.flatMap((name, i) =>
    point.values[i] == null ? [] : [`${name} ${show(point.values[i])}`],
  )
  const rest = [
    ...(point.band ? [`middle 50% ${show(point.band[0])} – ${show(point.band[1])}`] : []),
    ...(point.n === null ? [] : [`n ${countText(point.n)}`]),
    ...(point.open > 0 ? [`${countText(point.open)} still open`] : []),
    ...(point.bucket.partial ? [partialNote(point.bucket)] : []),
  ]
  const band = { x: left, width: right - left, y: 0, height: plot.bottom }
  const href = linkTo(links, [point.row])
  return hover(
    size,
    band,
    href,
    point.values.map(
      (value, i) => value !== null && h('circle', { class: `dot d${i}`, cx: at(point), cy: y(value), r: 4 }),
    ),
    readLine(
      { x: start, room: size.width - start },
      `${point.bucket.label} · `,
      figures.length ? figures.join(' · ') : 'no value',
      rest.map((each) => ` · ${each}`),
    ),
  )
}
