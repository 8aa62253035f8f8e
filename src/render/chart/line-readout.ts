import { type Child, h, round } from '../html.ts'
import { partialNote } from './buckets.ts'
import type { Point } from './line-points.ts'
import { hover, type Plot, readLine } from './plot.ts'

export interface Readout {
  at: (point: Point) => number
  y: (value: number) => number
  plot: Plot
  names: readonly string[]
  show: (value: number) => string
  /** Figures only: a phone has no room for more. */
  brief: boolean
}

/** What appears when the pointer is over a bucket: a guide, dots, and the figures above the plot. */
export function readout(points: readonly Point[], index: number, look: Readout): Child {
  const { at, y, plot, names, show, brief } = look
  const point = points[index]!
  const left = index === 0 ? plot.left : (at(points[index - 1]!) + at(point)) / 2
  const right = index === points.length - 1 ? plot.right : (at(point) + at(points[index + 1]!)) / 2
  const figures = names.flatMap((name, i) =>
    point.values[i] == null ? [] : [`${name} ${show(point.values[i])}`],
  )
  const rest = [
    ...(point.band ? [`middle half ${show(point.band[0])} – ${show(point.band[1])}`] : []),
    ...(point.n === null ? [] : [`n ${point.n}`]),
    ...(point.open > 0 ? [`${point.open} still open`] : []),
    ...(point.bucket.partial ? [partialNote(point.bucket)] : []),
  ]
  return hover(
    { x: left, width: right - left, y: 0, height: plot.bottom },
    h('path', { class: 'guide', d: `M${round(at(point))} ${plot.top - 6}V${plot.bottom}` }),
    point.values.map(
      (value, i) => value !== null && h('circle', { class: `dot d${i}`, cx: at(point), cy: y(value), r: 4 }),
    ),
    readLine(
      brief ? 0 : plot.left,
      `${point.bucket.label} · `,
      figures.length ? figures.join(' · ') : 'no value',
      brief ? '' : rest.map((each) => ` · ${each}`).join(''),
    ),
  )
}
