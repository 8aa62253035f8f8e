import { scaleLinear, scaleLog } from 'd3-scale'
import { z } from 'zod'
import { MOSTLY_OPEN } from '../../page/sentences/chart-sentences.ts'
import { cellsOf } from '../cells.ts'
import type { Chart, ChartBlock } from '../chart.ts'
import { rowWords } from '../chart-description.ts'
import { colorClass } from '../drawing/category.ts'
import {
  cutName,
  hover,
  labelRoom,
  nameRoom,
  type Plot,
  readLine,
  type Size,
  type Tick,
} from '../drawing/plot.ts'
import { addMinimumTick, logTicks, valueTicks } from '../drawing/ticks.ts'
import { countText, figureText } from '../format.ts'
import { type Child, h } from '../html.ts'
import type { Frame, QueryResult } from '../result-parts.ts'
import { format, name, namePair, optionalName, scale, small } from '../spec.ts'
import { figureLine } from '../terminal/character-plots.ts'
import { categoryStyle, pad, safe } from '../terminal/paint.ts'
import { linkTo } from '../text.ts'

const percentilesSpec = z.strictObject({
  type: z.literal('percentiles'),
  x: z.tuple([name, name, name, name, name], 'expected five columns: p10, p25, median, p75, p90'),
  y: name,
  n: optionalName,
  small,
  /** Columns with the ends of the median’s 95% CI. The chart draws the interval as a bracket. */
  interval: namePair,
  target: optionalName,
  /** Column with the number of open incidents, shown with the details of a row. */
  open: optionalName,
  scale,
  format: format.default('duration'),
})

type PercentilesSpec = z.output<typeof percentilesSpec>

/** A line from p10 to p90 per name, and a bar for the middle 50%. The gap in the bar marks the median. */
export const percentiles = {
  spec: percentilesSpec,
  label: 'Percentiles',
  columns: ({ x, y, n, interval, target, open }) => ({
    measured: [...x, ...(interval ?? []), target],
    numbers: [n, open],
    others: [y],
  }),
  counts: ({ n }) => n,
  draw,
  height: ({ data }) => 58 + data.rows.length * rowHeight,
  describe: (block, frame) => rowWords(block, block.spec.x[2], frame),
  terminal({ data, spec }, frame, { paint }) {
    const show = figureLine(spec.format, frame)
    return stripsOf(data, spec).map(({ key, at: [, p25, median, p75, p90], interval }) => {
      const sure = interval ? ` (95% CI ${show(interval[0])} – ${show(interval[1])})` : ''
      const half = `middle 50% ${show(p25 ?? null)} – ${show(p75 ?? null)}`
      const figures = `median ${show(median ?? null)}${sure}, ${half}, p90 ${show(p90 ?? null)}`
      return `${paint(categoryStyle(safe(key)), pad(safe(key), 12))} ${median == null ? 'none' : figures}`
    })
  },
} satisfies Chart<PercentilesSpec>

const rowHeight = 30

function draw(block: ChartBlock<PercentilesSpec>, frame: Frame, size: Size): Child {
  const strips = stripsOf(block.data, block.spec)
  const layout = layoutOf(strips, block, frame, size)
  const { plot, place, ticks } = layout
  return [
    ticks.map(({ value, label }) => [
      h('line', { class: 'grid', x1: place(value), x2: place(value), y1: plot.top - 6, y2: plot.bottom }),
      h('text', { class: 'tick middle', x: place(value), y: plot.top - 12 }, label),
    ]),
    strips.map((strip, index) => row(strip, index, layout)),
  ]
}

type Layout = ReturnType<typeof layoutOf>

function layoutOf(
  strips: readonly Strip[],
  { spec, links }: ChartBlock<PercentilesSpec>,
  frame: Frame,
  size: Size,
) {
  const notes = strips.map(({ note }) => note)
  const plot: Plot = {
    left: nameRoom(strips.map(({ name }) => name)),
    right: size.width - labelRoom(notes) - 4,
    top: 52,
    bottom: size.height - 6,
  }
  const show = figureText(spec.format, frame)
  return { plot, show, size, links, ...axisOf(strips, spec, plot, show) }
}

/** A log scale draws values below its minimum at the minimum. */
function axisOf(
  strips: readonly Strip[],
  spec: PercentilesSpec,
  plot: Plot,
  show: (value: number) => string,
): { place: (value: number) => number; ticks: readonly Tick[] } {
  const values = strips.flatMap(({ at, interval, target }) => [...at, ...(interval ?? []), target])
  const known = values.filter((value) => value !== null)
  const top = Math.max(1, ...known)
  if (spec.scale === 'linear' || !known.some((value) => value > 0)) {
    const ticks = valueTicks(top, spec.format)
    return { place: scaleLinear([0, ticks.at(-1)!.value], [plot.left, plot.right]), ticks }
  }
  const low = Math.max(1, Math.min(...known.filter((value) => value > 0)))
  const x = scaleLog([low, Math.max(top, low * 2)], [plot.left, plot.right]).clamp(true)
  const isBelow = known.some((value) => value < low)
  const ticks = addMinimumTick(logTicks([low, top], spec.format, x, 52), isBelow ? low : null, x, show)
  return { place: (value) => x(Math.max(value, low)), ticks }
}

function row(strip: Strip, index: number, { plot, place, show, size, links }: Layout): Child {
  const y = plot.top + index * rowHeight + rowHeight / 2
  const { few, note, missing } = strip
  const target = strip.target === null ? null : place(strip.target)
  const [, p25, median, p75, p90] = strip.at
  const rest = [
    ...(strip.interval ? [`95% CI ${show(strip.interval[0])} – ${show(strip.interval[1])}`] : []),
    ...(few ? ['few'] : []),
    ...(p90 == null ? [] : [`p90 ${show(p90)}`]),
    ...(strip.target === null ? [] : [`target ${show(strip.target)}`]),
    `middle 50% ${show(p25)} – ${show(p75)}`,
    ...strip.counts,
  ]
  return [
    h('text', { class: 'name end', x: plot.left - 12, y: y + 4 }, strip.name),
    median == null ? h('text', { class: 'note', x: plot.left, y: y + 4 }, missing) : marks(strip, y, place),
    target !== null && h('line', { class: 'target', x1: target, x2: target, y1: y - 12, y2: y + 12 }),
    note && h('text', { class: few ? 'tick warn' : 'tick', x: plot.right + 10, y: y + 4 }, note),
    hover(
      size,
      { x: 0, width: size.width, y: y - rowHeight / 2, height: rowHeight },
      linkTo(links, [strip.row]),
      readLine(
        { x: 0, room: size.width },
        '',
        median == null ? `${strip.name}: ${missing}` : `${strip.name} median ${show(median)}`,
        median == null ? [] : rest.map((each) => ` · ${each}`),
      ),
    ),
  ]
}

type Strip = ReturnType<typeof stripsOf>[number]

function stripsOf(data: QueryResult, spec: PercentilesSpec) {
  const cells = cellsOf(data)
  return data.rows.map((row) => {
    const number = (column: string | null) => (column === null ? null : cells.number(row, column))
    const [low, high] = spec.interval?.map(number) ?? []
    const [n, open] = [number(spec.n), number(spec.open)]
    const few = n !== null && n < spec.small
    return {
      row,
      key: cells.text(row, spec.y),
      name: cutName(cells.text(row, spec.y), 16),
      /** p10, p25, median, p75 and p90. */
      at: spec.x.map(number),
      interval: low == null || high == null ? null : ([low, high] as const),
      target: number(spec.target),
      few,
      note: few ? `n ${countText(n)} !` : '',
      counts: [...(n === null ? [] : [`n ${countText(n)}`]), ...(open ? [`${countText(open)} open`] : [])],
      missing: open ? MOSTLY_OPEN : 'none',
    }
  })
}

function marks({ name, at, interval, few }: Strip, y: number, place: Layout['place']): Child {
  const [p10, p25, median, p75, p90] = at
  const color = colorClass(name, 0)
  const [left, right] = interval?.map((end) => place(end).toFixed(1)) ?? []
  return [
    h(
      'g',
      { class: few ? `${color} few` : color },
      p10 != null &&
        p90 != null &&
        h('line', { class: 'whisker', x1: place(p10), x2: place(p90), y1: y, y2: y }),
      p25 != null &&
        p75 != null &&
        h('rect', {
          x: place(p25),
          width: Math.max(4, place(p75) - place(p25)),
          y: y - 6,
          height: 12,
          rx: 2,
        }),
      h('rect', { class: 'gap', x: place(median!) - 1.5, width: 3, y: y - 7, height: 14 }),
    ),
    interval && h('path', { class: 'bracket', d: `M${left} ${y + 8}v3H${right}v-3` }),
  ]
}
