import { group } from 'd3-array'
import { scaleLinear } from 'd3-scale'
import { z } from 'zod'
import { cellsOf } from '../cells.ts'
import type { Chart, ChartBlock } from '../chart.ts'
import { rowWords, sumOf } from '../chart-description.ts'
import { fillOf, inOrder } from '../drawing/category.ts'
import { cutName, hover, nameRoom, type Size } from '../drawing/plot.ts'
import { figureText } from '../format.ts'
import { type Child, h } from '../html.ts'
import type { Frame, QueryResult } from '../result-parts.ts'
import { format, name, optionalName } from '../spec.ts'
import { barLines, figureLine } from '../terminal/character-plots.ts'
import { linkTo } from '../text.ts'

const barsSpec = z.strictObject({
  type: z.literal('bars'),
  x: name,
  y: name,
  color: optionalName,
  /** If false, each row gets its own bar. */
  stack: z.boolean().default(true),
  format: format.default('number'),
})

type BarsSpec = z.output<typeof barsSpec>

/** Horizontal bars. With `color`, a bar consists of colored parts and shows their sum. */
export const bars = {
  spec: barsSpec,
  label: 'Bar chart',
  axes: 'x is the length of a bar, and y its name.',
  columns: ({ x, y, color }) => ({ measured: [x], others: [y, color] }),
  series: ({ x, y, color, stack }) => (color !== null && stack ? { x: y, y: x, by: color } : null),
  colors: ({ color }) => color,
  counts: ({ x, format }) => (format === 'number' ? x : null),
  draw,
  height: ({ data, spec }) => 8 + barsOf(data, spec).length * rowHeight,
  describe: (block, frame) => rowWords(block, block.spec.x, frame),
  terminal({ data, spec }, frame, terminal) {
    return barLines(barsOf(data, spec), terminal, figureLine(spec.format, frame))
  },
} satisfies Chart<BarsSpec>

const rowHeight = 26

function barsOf(data: QueryResult, { x, y, color, stack }: BarsSpec) {
  const cells = cellsOf(data)
  const groups = group(data.rows, (row) => (color !== null && stack ? cells.text(row, y) : row))
  return [...groups.values()].map((rows) => {
    const parts = rows.map((row) => ({
      color: color === null ? null : cells.text(row, color),
      value: cells.number(row, x),
    }))
    return { name: cells.text(rows[0]!, y), value: sumOf(parts.map(({ value }) => value)), parts, rows }
  })
}

type Part = ReturnType<typeof barsOf>[number]['parts'][number]

function draw({ data, spec, links }: ChartBlock<BarsSpec>, frame: Frame, size: Size): Child {
  const bars = barsOf(data, spec)
  const colors = inOrder(bars.flatMap(({ parts }) => parts.flatMap(({ color }) => color ?? [])))
  const name = (text: string) => cutName(text, size.narrow ? 16 : 30)
  const show = figureText(spec.format, frame)
  const left = nameRoom(bars.map((bar) => name(bar.name)))
  const highest = Math.max(Number.MIN_VALUE, ...bars.map(({ value }) => value ?? 0))
  const x = scaleLinear([0, highest], [0, size.width - left - 90])
  const part = ({ color, value }: Part, from: number, y: number) =>
    h('rect', {
      ...(color === null ? { class: 'c0' } : fillOf(color, colors.indexOf(color))),
      ...{ x: left + x(from), y: y + 6, height: 14, rx: 1 },
      width: Math.max(0, x(value ?? 0), value ? 1 : 0),
    })
  return bars.map(({ name: text, value, parts, rows }, index) => {
    const y = 4 + index * rowHeight
    const href = linkTo(links, rows)
    const ordered = parts.toSorted((a, b) => colors.indexOf(a.color ?? '') - colors.indexOf(b.color ?? ''))
    const before = (place: number) => sumOf(ordered.slice(0, place).map((each) => each.value)) ?? 0
    return [
      h('text', { class: 'name end', x: left - 12, y: y + 17 }, name(text)),
      ordered.map((each, place) => part(each, before(place), y)),
      h('text', { class: 'tick', x: left + x(value ?? 0) + 8, y: y + 17 }, show(value)),
      href !== null && hover(size, { x: 0, width: size.width, y, height: rowHeight }, href),
    ]
  })
}
