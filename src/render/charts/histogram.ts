import { sum } from 'd3-array'
import { scaleLinear, scaleLog } from 'd3-scale'
import { z } from 'zod'
import { cellsOf } from '../cells.ts'
import type { Chart, ChartBlock } from '../chart.ts'
import { numbersOf } from '../chart-description.ts'
import {
  boxPath,
  horizontalGrid,
  hover,
  labelRoom,
  type Plot,
  readLine,
  type Size,
  textWidth,
} from '../drawing/plot.ts'
import { logTicks, valueTicks } from '../drawing/ticks.ts'
import { countText, figureText } from '../format.ts'
import { type Child, h } from '../html.ts'
import type { Frame, QueryResult } from '../result-parts.ts'
import { format, name, scale } from '../spec.ts'
import { barLines, figureLine } from '../terminal/character-plots.ts'
import { linkTo } from '../text.ts'

const histogramSpec = z.strictObject({
  type: z.literal('histogram'),
  x: z.tuple([name, name], 'expected two columns: the lower and the upper bound'),
  y: name,
  scale,
  format: format.default('duration'),
})

type HistogramSpec = z.output<typeof histogramSpec>

/** Columns with the number of values per interval. A log scale has an extra column for 0. */
export const histogram = {
  spec: histogramSpec,
  label: 'Histogram',
  columns: ({ x, y }) => ({ measured: x, numbers: [y], others: [] }),
  counts: ({ y }) => y,
  draw,
  describe({ data, spec }, frame) {
    return `${data.rows.length} bins, ${figureText('number', frame)(sum(numbersOf(data, spec.y)))} in total`
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

function draw({ data, spec, rules, links }: ChartBlock<HistogramSpec>, frame: Frame, size: Size): Child {
  const bins = binsOf(data, spec)
  const ticks = valueTicks(Math.max(0, ...bins.map(({ count }) => count)), 'number')
  const show = figureText(spec.format, frame)
  const [left, right] = [labelRoom(ticks.map(({ label }) => label)), size.width - 4]
  const bottom = size.height - 24
  const { x, placeOf, below } = axisOf(bins, spec, { left, right, top: 0, bottom }, show)
  const marks = marksOf(rules, x, right, show)
  const plot: Plot = {
    left,
    right,
    top: 44 + laneHeight * Math.max(0, ...marks.map(({ lane }) => lane)),
    bottom,
  }
  const y = scaleLinear([0, ticks.at(-1)!.value], [plot.bottom, plot.top])
  const boxes = bins.map((bin) => {
    const place = placeOf(bin)
    return { x: place.x, width: place.width - 1, y: y(bin.count), height: plot.bottom - y(bin.count) }
  })
  return [
    horizontalGrid(ticks, y, plot),
    h('path', { class: 'c0', d: boxPath(boxes) }),
    below.map(({ value, label }) => {
      const middle = Math.min(x(value), size.width - textWidth(label) / 2)
      return [
        h('line', { class: 'axis', x1: x(value), x2: x(value), y1: bottom, y2: bottom + 4 }),
        h('text', { class: 'tick middle', x: middle, y: bottom + 18 }, label),
      ]
    }),
    marks.map((mark) => marker(mark, plot)),
    bins.map((bin) => {
      const band = { ...placeOf(bin), y: 0, height: plot.bottom }
      const place = { x: plot.left, room: size.width - plot.left }
      const range = bin.from === bin.to ? show(bin.from) : `${show(bin.from)} – ${show(bin.to)}`
      const words = readLine(place, `${range} · `, countText(bin.count))
      return hover(size, band, linkTo(links, [bin.row]), words)
    }),
  ]
}

type Bin = ReturnType<typeof binsOf>[number]

function binsOf(data: QueryResult, spec: HistogramSpec) {
  const cells = cellsOf(data)
  return data.rows.flatMap((row) => {
    const [from, to, count] = [...spec.x, spec.y].map((column) => cells.number(row, column))
    return from == null || to == null || count == null || to < from ? [] : [{ row, from, to, count }]
  })
}

/** A log scale cannot show 0, so values of exactly 0 get a separate bar at the left. */
function axisOf(bins: readonly Bin[], spec: HistogramSpec, plot: Plot, show: (value: number) => string) {
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
  const placeOf = (bin: Bin) =>
    bin.to <= 0 ? { x: plot.left, width: zero } : { x: x(bin.from), width: widthOf(x, bin) }
  if (zero === 0) return { x, placeOf, below: ticks }
  // Omits ticks that would overlap the label of 0.
  const others = ticks.filter(({ value }) => x(value) > plot.left + 46)
  return { x, placeOf, below: [{ value: 0, label: show(0) }, ...others] }
}

const zeroWidth = 14

/** Height of one row of labels, called a lane. Overlapping labels are placed in different lanes. */
const laneHeight = 28

interface Mark {
  label: string
  figure: string
  at: number
  isLeft: boolean
  lane: number
}

/** Merges labels with equal figures. If there is room, the first label is left of its line, and the others right. */
function marksOf(
  rules: readonly { label: string; value: number }[],
  x: (value: number) => number,
  right: number,
  show: (value: number) => string,
): Mark[] {
  const marks: Mark[] = []
  const ends = (mark: Mark): [number, number] => {
    const room = Math.max(textWidth(mark.label, true), textWidth(mark.figure)) + 8
    return mark.isLeft ? [mark.at - room, mark.at] : [mark.at, mark.at + room]
  }
  for (const { label, value } of rules) {
    const [at, figure] = [x(value), show(value)]
    const same = marks.find((mark) => mark.figure === figure)
    if (same) {
      same.label += `, ${label}`
      continue
    }
    const mark: Mark = { label, figure, at, isLeft: false, lane: 0 }
    const isFree = ([from, to]: [number, number]) => from > 0 && to <= right + 4
    const wantsLeft = marks.length === 0 && rules.length > 1
    const sides = [wantsLeft, !wantsLeft].filter((isLeft) => isFree(ends({ ...mark, isLeft })))
    mark.isLeft = sides[0] ?? wantsLeft
    const meets = marks.filter((other) => ends(other)[0] < ends(mark)[1] && ends(mark)[0] < ends(other)[1])
    mark.lane = Math.max(-1, ...meets.map(({ lane }) => lane)) + 1
    marks.push(mark)
  }
  return marks
}

function marker({ label, figure, at, isLeft, lane }: Mark, plot: Plot): Child {
  const side = isLeft ? ' end' : ''
  const place = at + (isLeft ? -5 : 5)
  const y = 24 + laneHeight * lane
  return [
    h('line', { class: 'rule', x1: at, x2: at, y1: y - 4, y2: plot.bottom }),
    h('text', { class: `name${side}`, x: place, y }, label),
    h('text', { class: `tick${side}`, x: place, y: y + 12 }, figure),
  ]
}
