import { line as path } from 'd3-shape'
import { z } from 'zod'
import { rangeNote, TOO_FEW_POINTS } from '../../page/sentences/chart-sentences.ts'
import type { Chart, ChartBlock } from '../chart.ts'
import { numbersOf, rangeOverTime } from '../chart-description.ts'
import { rightLabelWidth, type Size, targetLines, textWidth } from '../drawing/plot.ts'
import { type Layout, type Point, pointsOf, readout, timePlot } from '../drawing/points.ts'
import { figureText } from '../format.ts'
import { type Child, h } from '../html.ts'
import type { Frame, UsualRange } from '../result-parts.ts'
import { type Format, format, name, optionalName, scale, small } from '../spec.ts'
import { figureLine, seriesLines } from '../terminal/character-plots.ts'

const controlSpec = z.strictObject({
  type: z.literal('control'),
  x: name,
  y: name,
  trend: optionalName,
  n: optionalName,
  small,
  scale,
  format: format.default('number'),
})

type ControlSpec = z.output<typeof controlSpec>

/** XmR chart: single values with a center line and an expected range. Values outside the range get a ring. */
export const control = {
  spec: controlSpec,
  label: 'Control chart',
  columns: ({ x, y, trend, n }) => ({
    measured: [y, trend],
    numbers: [n],
    dates: [x],
    others: [],
    drawn: trend,
  }),
  usual: ({ x, y, scale }) => ({ column: y, x, scale }),
  counts: ({ y, n, format: as }) => (as === 'number' ? y : n),
  draw,
  describe(block, frame) {
    const { data, spec, usual } = block
    const show = figureText(spec.format, frame)
    const limits = usual && usualLimits(usual, spec.format)
    const usually = limits
      ? `; expected range ${show(limits.low)} to ${show(limits.high)} (${rangeNote(usual!)})`
      : ''
    return `${data.rows.length} points; ${rangeOverTime(block, spec.y, frame)}${usually}`
  },
  terminal(block, frame, terminal) {
    const { data, spec, usual } = block
    const show = figureLine(spec.format, frame)
    const values = numbersOf(data, spec.y)
    const limits = usual && usualLimits(usual, spec.format)
    const text = limits
      ? `expected range ${show(limits.low)} – ${show(limits.high)} (${rangeNote(usual!)})`
      : TOO_FEW_POINTS
    return [
      ...seriesLines([{ name: spec.y, style: '', values }], block, frame, terminal),
      terminal.paint('dim', `${' '.repeat(15)}${text}`),
    ]
  },
} satisfies Chart<ControlSpec>

function draw(
  { data, spec, usual = null, rules, links }: ChartBlock<ControlSpec>,
  frame: Frame,
  size: Size,
): Child {
  const lines = spec.trend ? [spec.y, spec.trend] : [spec.y]
  const points = pointsOf(data, { ...spec, y: lines, band: null, open: null }, frame)
  const show = figureText(spec.format, frame)
  const limits = usual ? [usual.low, usual.high] : []
  const bottom = size.height - 24
  const right = size.width - rightLabelWidth(['expected'], limits.map(show), size.narrow ? 62 : 92)
  const beside = [...limits, ...rules.map(({ value }) => value)]
  const { behind, dates, events, ...places } = timePlot(points, beside, spec, size, {
    ...{ right, bottom, inset: 8, frame },
  })
  const layout: Layout = { ...places, show }
  const { y, plot } = layout
  return [
    behind,
    dates.map(({ x, label }) => h('text', { class: 'tick', x, y: bottom + 18 }, label)),
    usual && range(usual, usualLimits(usual, spec.format), layout),
    targetLines(rules, y, plot, show),
    events,
    series(points, spec, layout),
    trendLine(points, layout),
    usual?.judged === true && rings(points.filter(isOutside(usual)), usual, layout),
    usual && !usual.judged && h('text', { class: 'note', x: plot.left, y: plot.top - 26 }, rangeNote(usual)),
    points.map((_, index) =>
      readout(points, index, { ...layout, names: [spec.y.replaceAll('_', ' '), 'trend'], size, links }),
    ),
  ]
}

function range(
  { low, centre, high }: UsualRange,
  shown: ReturnType<typeof usualLimits>,
  { y, plot, show }: Layout,
): Child {
  const [upper, lower] = [y(high), y(low)]
  const { left, right } = plot
  const across = (kind: string, at: number) => h('line', { class: kind, x1: left, x2: right, y1: at, y2: at })
  const label = (text: string, place: number, kind = 'tick') =>
    h('text', { class: kind, x: plot.right + 8, y: place }, text)
  const middle = Math.min(y(centre), plot.bottom - 9)
  const hasUpper = middle - upper >= 18
  const hasLower = lower - middle >= 28
  return [
    h('rect', { class: 'spread', x: left, width: right - left, y: upper, height: lower - upper }),
    across('limit', upper),
    across('limit', lower),
    across('centre', y(centre)),
    hasUpper && label(show(shown.high), upper + 4),
    label('expected', middle, 'name'),
    label(show(shown.centre), middle + 13),
    hasLower && label(show(shown.low), lower + 4),
  ]
}

/** The trend column is empty unless the trend is a finding. */
function trendLine(points: readonly Point[], { at, y }: Layout): Child {
  const drawn = points.filter(({ values }) => values[1] != null)
  if (drawn.length < 2) return null
  return h('path', { class: 'trendline', d: path<Point>(at, ({ values }) => y(values[1]!)).digits(1)(drawn) })
}

function series(points: readonly Point[], spec: ControlSpec, { at, y }: Layout): Child {
  const drawn = points.filter((point) => value(point) !== null)
  const complete = drawn.filter(({ bucket }) => !bucket.partial)
  return [
    h('path', { class: 'thread', d: path<Point>(at, (point) => y(value(point)!)).digits(1)(complete) }),
    drawn.map((point) => {
      const few = point.bucket.partial || (point.n !== null && point.n < spec.small)
      const place = { cx: at(point), cy: y(value(point)!) }
      return h('circle', { class: few ? 'dot few f0' : 'dot d0', ...place, r: 3.4 })
    }),
  ]
}

function isOutside({ low, high }: UsualRange): (point: Point) => boolean {
  return (point) =>
    !point.bucket.partial && value(point) !== null && (value(point)! > high || value(point)! < low)
}

/** Draws a ring around each point. If labels do not all fit, points farthest from the center get theirs. */
function rings(points: readonly Point[], { centre }: UsualRange, { at, y, plot, show }: Layout): Child {
  const named: { left: number; right: number; y: number }[] = []
  const name = (point: Point): Child => {
    const [text, middle, above] = [show(value(point)!), at(point), y(value(point)!) - 11]
    const half = textWidth(text, true) / 2
    // At the top, the label would overlap the notes above the plot, so it is placed below its point.
    const box = { left: middle - half, right: middle + half, y: above < plot.top ? above + 30 : above }
    const isFree = named.every(
      (other) => box.left > other.right || box.right < other.left || Math.abs(box.y - other.y) > 13,
    )
    if (!isFree) return null
    named.push(box)
    return h('text', { class: 'note strong middle', x: middle, y: box.y }, text)
  }
  const farthest = (point: Point) => Math.abs(y(value(point)!) - y(centre))
  return [
    points.map((point) => h('circle', { class: 'ring', cx: at(point), cy: y(value(point)!), r: 7 })),
    points.toSorted((a, b) => farthest(b) - farthest(a)).map(name),
  ]
}

function value(point: Point): number | null {
  return point.values[0] ?? null
}

/** Rounds the limits of counts inward, because counts are integers. */
function usualLimits({ low, centre, high }: UsualRange, as: Format) {
  if (as !== 'number') return { low, centre, high }
  return { low: Math.ceil(low), centre: Math.round(centre), high: Math.floor(high) }
}
