import { scaleLinear, scaleLog } from 'd3-scale'
import { z } from 'zod'
import { cellsOf } from '../cells.ts'
import type { Chart, ChartBlock } from '../chart.ts'
import { numbersOf } from '../chart-words.ts'
import {
  type Box,
  boxPath,
  horizontalGrid,
  hover,
  labelRoom,
  type Plot,
  readLine,
  type Size,
  type Tick,
} from '../drawing/plot.ts'
import { logTicks, valueTicks } from '../drawing/ticks.ts'
import { countText, figureText } from '../format.ts'
import { type Child, h } from '../html.ts'
import type { QueryResult } from '../result/query-result.ts'
import type { Frame } from '../result/report-frame.ts'
import { format, name, scale } from '../spec.ts'
import { barLines, figureLine } from '../terminal/character-plots.ts'

/** Counts between bounds. */
const histogramSpec = z.strictObject({
  type: z.literal('histogram'),
  x: z.tuple([name, name], 'expected two columns: the lower and the upper bound'),
  y: name,
  scale,
  format: format.default('duration'),
})

type HistogramSpec = z.output<typeof histogramSpec>

/** Counts between bounds, with marker lines such as the median. What is exactly 0 stands apart from a log scale. */
export const histogram = {
  spec: histogramSpec,
  label: 'Histogram',
  columns: ({ x, y }) => ({ measured: x, numbers: [y], others: [] }),
  draw,
  describe({ data, spec }, frame) {
    const total = numbersOf(data, spec.y).reduce<number>((sum, count) => sum + (count ?? 0), 0)
    return `${data.rows.length} classes, ${figureText('number', frame)(total)} in total`
  },
  terminal({ data, spec }, frame, terminal) {
    const cells = cellsOf(data)
    const show = figureLine(spec.format, frame)
    const rows = data.rows.map((row) => ({
      name: cells.number(row, spec.x[1]) === 0 ? show(0) : `${show(cells.number(row, spec.x[0]))} –`,
      value: cells.number(row, spec.y),
    }))
    return barLines(rows, terminal, figureLine('number', frame))
  },
} satisfies Chart<HistogramSpec>

interface Bin {
  from: number
  to: number
  count: number
}

function draw({ data, spec, rules }: ChartBlock<HistogramSpec>, frame: Frame, size: Size): Child {
  const bins = binsOf(data, spec)
  const ticks = valueTicks(Math.max(0, ...bins.map(({ count }) => count)), 'number')
  const plot: Plot = {
    left: labelRoom(ticks.map(({ label }) => label)),
    right: size.width - 4,
    top: 44,
    bottom: size.height - 24,
  }
  const show = figureText(spec.format, frame)
  const { x, placeOf, below } = axisOf(bins, spec, plot, show)
  const y = scaleLinear([0, ticks.at(-1)!.value], [plot.bottom, plot.top])
  const boxes = bins.map((bin) => {
    const place = placeOf(bin)
    return { x: place.x, width: place.width - 1, y: y(bin.count), height: plot.bottom - y(bin.count) }
  })
  return [
    horizontalGrid(ticks, y, plot),
    h('path', { class: 'c0', d: boxPath(boxes) }),
    below.map(({ value, label }) => [
      h('line', { class: 'axis', x1: x(value), x2: x(value), y1: plot.bottom, y2: plot.bottom + 4 }),
      h('text', { class: 'tick middle', x: Math.min(x(value), plot.right - 12), y: plot.bottom + 18 }, label),
    ]),
    rules.map((rule, index) => marker(rule, index, { count: rules.length, x, plot, show })),
    bins.map((bin) => {
      const band = { ...placeOf(bin), y: 0, height: plot.bottom }
      const place = { x: plot.left, room: size.width - plot.left }
      const words = readLine(place, `${rangeText(bin.from, bin.to, show)} · `, countText(bin.count))
      return hover(size, band, null, words)
    }),
  ]
}

function binsOf(data: QueryResult, spec: HistogramSpec): Bin[] {
  const cells = cellsOf(data)
  return data.rows.flatMap((row) => {
    const [from, to, count] = [...spec.x, spec.y].map((column) => cells.number(row, column))
    return from == null || to == null || count == null || to < from ? [] : [{ from, to, count }]
  })
}

/** Where values and bins stand along x, and the ticks below; on a log scale what is exactly 0 has a bar of its own, at the left. */
function axisOf(
  bins: readonly Bin[],
  spec: HistogramSpec,
  plot: Plot,
  show: (value: number) => string,
): {
  x: (value: number) => number
  placeOf: (bin: Bin) => Pick<Box, 'x' | 'width'>
  below: readonly Tick[]
} {
  const some = bins.filter(({ to }) => to > 0)
  const low = Math.min(...some.map(({ from }) => from), Number.MAX_VALUE)
  const high = Math.max(1, ...bins.map(({ to }) => to))
  const widthOf = (x: (value: number) => number, { from, to }: Bin) => Math.max(2, x(to) - x(from))
  if (spec.scale === 'linear' || low <= 0) {
    const x = scaleLinear([Math.min(0, low), high], [plot.left, plot.right])
    const placeOf = (bin: Bin) => ({ x: x(bin.from), width: widthOf(x, bin) })
    return { x, placeOf, below: valueTicks(high, spec.format) }
  }
  const zero = some.length < bins.length ? zeroWidth : 0
  const above = scaleLog([Math.min(low, high), high], [plot.left + 1.5 * zero, plot.right]).clamp(true)
  const x = (value: number) => (value <= 0 ? plot.left + zero / 2 : above(value))
  const ticks = logTicks([low, high], spec.format, x, 46)
  return {
    x,
    placeOf: (bin) =>
      bin.to <= 0 ? { x: plot.left, width: zero } : { x: x(bin.from), width: widthOf(x, bin) },
    // The label of 0 needs the room of the first one.
    below: zero
      ? [{ value: 0, label: show(0) }, ...ticks.filter(({ value }) => x(value) > plot.left + 46)]
      : ticks,
  }
}

/** The width of the bar of what is exactly 0 beside a log scale. */
const zeroWidth = 14

/** `15 min – 21 min`, and `0 s` alone. */
function rangeText(from: number, to: number, show: (value: number) => string): string {
  return from === to ? show(from) : `${show(from)} – ${show(to)}`
}

/** The label of the first of several lines stands left of it, later ones right, unless the edge is too close. */
function marker(
  { label, value }: { label: string; value: number },
  index: number,
  {
    count,
    x,
    plot,
    show,
  }: { count: number; x: (value: number) => number; plot: Plot; show: (value: number) => string },
): Child {
  const at = x(value)
  const room = Math.max(label.length, show(value).length) * 6.6 + 6
  const left = (index === 0 && count > 1 && at - room > 0) || at + room > plot.right + 4
  const side = left ? ' end' : ''
  const place = at + (left ? -5 : 5)
  return [
    h('line', { class: 'rule', x1: at, x2: at, y1: plot.top - 24, y2: plot.bottom }),
    h('text', { class: `name${side}`, x: place, y: plot.top - 20 }, label),
    h('text', { class: `tick${side}`, x: place, y: plot.top - 8 }, show(value)),
  ]
}
