import { area, line as path } from 'd3-shape'
import { z } from 'zod'
import type { Chart, ChartBlock } from '../chart.ts'
import { numbersOf, rangeOverTime } from '../chart-description.ts'
import { rightLabelWidth, type Size, targetLines } from '../drawing/plot.ts'
import { type Layout, type Point, pointsOf, readout, timePlot } from '../drawing/points.ts'
import { countText, figureText } from '../format.ts'
import { type Child, h, type Markup } from '../html.ts'
import type { Frame } from '../result-parts.ts'
import { format, name, namePair, optionalName, scale, small } from '../spec.ts'
import { seriesLines } from '../terminal/character-plots.ts'

const lineSpec = z.strictObject({
  type: z.literal('line'),
  x: name,
  y: z
    .union([name, z.array(name).min(1).max(4)])
    .transform((y): readonly string[] => (typeof y === 'string' ? [y] : y)),
  labels: z.array(z.string()).nullable().default(null),
  band: namePair,
  /** Column with the sample size. Points with fewer than `small` incidents are hollow. */
  n: optionalName,
  small,
  /** Column with the number of open incidents, shown below the points. Open incidents have no value yet. */
  open: optionalName,
  scale,
  format: format.default('number'),
})

type LineSpec = z.output<typeof lineSpec>

export const line = {
  spec: lineSpec,
  label: 'Line chart',
  columns: ({ x, y, band, n, open }) => ({
    measured: [...y, ...(band ?? [])],
    numbers: [n, open],
    dates: [x],
    others: [],
  }),
  counts: ({ y, n, format: as }) => (as === 'number' && y.length === 1 ? y[0]! : n),
  draw,
  describe(block, frame) {
    const { y, labels } = block.spec
    const nameOf = (index: number) => (y.length === 1 ? '' : (labels?.[index] ?? y[index]))
    const lines = y.map((column, index) => rangeOverTime(block, column, frame, nameOf(index)))
    return `${block.data.rows.length} points; ${lines.join('; ')}`
  },
  terminal(block, frame, terminal) {
    const { y, labels } = block.spec
    const series = y.map((column, index) => ({
      name: labels?.[index] ?? column,
      style: '',
      values: numbersOf(block.data, column),
    }))
    return seriesLines(series, block, frame, terminal)
  },
} satisfies Chart<LineSpec>

function draw({ data, spec, rules, links }: ChartBlock<LineSpec>, frame: Frame, size: Size): Child {
  const points = pointsOf(data, spec, frame)
  const show = figureText(spec.format, frame)
  const hasOpen = points.some(({ open }) => open > 0)
  // Open incidents need a row between the axis and the dates.
  const bottom = size.height - (hasOpen ? 40 : 24)
  const names = spec.labels ?? spec.y.map((name) => name.replaceAll('_', ' '))
  const ends = names.flatMap((_, index) => lastOf(points, index) ?? [])
  const labels = ends.flatMap(({ value, isOlder }) => [show(value), ...(isOlder ? [LATEST] : [])])
  const right = size.width - rightLabelWidth(names, labels, size.narrow ? 72 : 92)
  const beside = [...points.flatMap(({ band }) => band ?? []), ...rules.map(({ value }) => value)]
  const places = timePlot(points, beside, spec, size, { right, bottom, inset: 6, frame })
  const { at, y, plot, behind, dates, events } = places
  return [
    behind,
    dates.map(({ x, label }) => [
      h('line', { class: 'axis', x1: x, x2: x, y1: bottom, y2: bottom + 4 }),
      h('text', { class: 'tick', x, y: size.height - 6 }, label),
    ]),
    spec.band &&
      h('path', {
        class: 'spread',
        d: area<Point>(
          at,
          (p) => y(p.band![0]),
          (p) => y(p.band![1]),
        )
          .digits(1)
          .defined((p) => p.band !== null && !p.bucket.partial)(points),
      }),
    spec.y.map((_, index) => series(points, index, places, spec.small)),
    targetLines(rules, y, plot, show),
    events,
    hasOpen && openText(points, places, size.narrow),
    endLabels(points, names, y, {
      right: plot.right,
      // The figure belongs to a single week, so its label says `last week`.
      unit:
        names.length === 1 && /^(day|week|month)$/.test(spec.x)
          ? (spec.x === 'week' && frame.bucket) || spec.x
          : null,
      // Keeps labels above the row with the numbers of open incidents.
      lowest: bottom - (names.length === 1 ? 32 : hasOpen ? 16 : 8),
      show,
    }),
    points.map((_, index) => readout(points, index, { at, y, plot, names, show, size, links })),
  ]
}

function series(
  points: readonly Point[],
  index: number,
  { at, y }: Pick<Layout, 'at' | 'y'>,
  small: number,
): Child {
  const value = (point: Point | undefined) => point?.values[index] ?? null
  const draw = path<Point>(at, (point) => y(value(point)!)).digits(1)
  const complete = draw.defined((point) => value(point) !== null && !point.bucket.partial)(points)
  const dots = points.map((point, i) => {
    const figure = value(point)
    if (figure === null) return null
    const few = point.bucket.partial || (point.n !== null && point.n < small)
    const lonely = value(points[i - 1]) === null && value(points[i + 1]) === null
    return (
      (few || lonely) &&
      h('circle', { class: few ? `dot few f${index}` : `dot d${index}`, cx: at(point), cy: y(figure), r: 3 })
    )
  })
  return h('g', { class: `line l${index}` }, h('path', { class: 'stroke', d: complete }), dots)
}

/** The number of open incidents of all points. The readout of each point has its own number. */
function openText(points: readonly Point[], { plot }: Pick<Layout, 'plot'>, isNarrow: boolean): Markup {
  const open = countText(points.reduce((sum, point) => sum + point.open, 0))
  const place = { class: 'tick', x: plot.right + 8, y: plot.bottom + 14 }
  return h('text', place, `${open} ${isNarrow ? 'open' : 'still open'}`)
}

const LATEST = 'latest value'

/** Value of the last complete week. `isOlder` means that this week has no value, so an earlier week is used. */
function lastOf(points: readonly Point[], index: number): { value: number; isOlder: boolean } | null {
  const whole = points.filter(({ bucket }) => !bucket.partial && !bucket.after)
  const last = whole.findLast(({ values }) => values[index] != null)
  const value = last?.values[index]
  return value == null ? null : { value, isOlder: last !== whole.at(-1) }
}

function endLabels(
  points: readonly Point[],
  names: readonly string[],
  y: (v: number) => number,
  look: { right: number; lowest: number; show: (value: number) => string; unit: string | null },
): Child {
  const { right, lowest, show, unit } = look
  const labels = names
    .flatMap((name, index) => {
      const last = lastOf(points, index)
      return last === null ? [] : [{ name, index, ...last, place: y(last.value) }]
    })
    .sort((a, b) => a.place - b.place)
  // Moves overlapping labels down, and then moves labels that are too low back up.
  labels.forEach((label, i) => {
    if (i > 0) label.place = Math.max(label.place, labels[i - 1]!.place + 30)
  })
  labels.reverse().forEach((label, i) => {
    label.place = Math.min(label.place, i === 0 ? lowest : labels[i - 1]!.place - 30)
  })
  return labels.map(({ name, index, value, isOlder, place }) =>
    h(
      'g',
      { class: `line l${index}` },
      h('text', { class: 'name', x: right + 8, y: place }, name),
      h('text', { class: 'tick', x: right + 8, y: place + 14 }, show(value)),
      unit !== null &&
        h('text', { class: 'tick', x: right + 8, y: place + 27 }, isOlder ? LATEST : `last ${unit}`),
    ),
  )
}
