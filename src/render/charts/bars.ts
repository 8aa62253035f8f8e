import { scaleLinear } from 'd3-scale'
import { z } from 'zod'
import { cellsOf } from '../cells.ts'
import type { Chart, ChartBlock } from '../chart.ts'
import { rowWords } from '../chart-words.ts'
import { shorten } from '../clean.ts'
import { colorClass } from '../drawing/category.ts'
import { hover, nameRoom, type Size } from '../drawing/plot.ts'
import { figureText } from '../format.ts'
import { type Child, h } from '../html.ts'
import type { Frame } from '../result/report-frame.ts'
import { format, name, optionalName } from '../spec.ts'
import { barLines, figureLine } from '../terminal/character-plots.ts'
import { linkTo } from '../text.ts'

/** Horizontal bars, one for each category. */
const barsSpec = z.strictObject({
  type: z.literal('bars'),
  x: name,
  y: name,
  color: optionalName,
  format: format.default('number'),
})

type BarsSpec = z.output<typeof barsSpec>

/** Horizontal bars with the figure at their end. */
export const bars = {
  spec: barsSpec,
  label: 'Bar chart',
  axes: 'x is how long a bar is, and y its name.',
  columns: ({ x, y, color }) => ({ measured: [x], others: [y, color] }),
  draw,
  height: ({ data }) => 8 + data.rows.length * rowHeight,
  describe: (block, frame) => rowWords(block, block.spec.x, frame),
  terminal({ data, spec }, frame, terminal) {
    const cells = cellsOf(data)
    const rows = data.rows.map((row) => ({ name: cells.text(row, spec.y), value: cells.number(row, spec.x) }))
    return barLines(rows, terminal, figureLine(spec.format, frame))
  },
} satisfies Chart<BarsSpec>

const rowHeight = 26

function draw({ data, spec, links }: ChartBlock<BarsSpec>, frame: Frame, size: Size): Child {
  const cells = cellsOf(data)
  const rows = data.rows.map((row) => ({
    name: cells.text(row, spec.y),
    value: cells.number(row, spec.x),
    color: spec.color === null ? null : cells.text(row, spec.color),
  }))
  const most = size.narrow ? 16 : 30
  const name = (text: string) => shorten(text, most)
  const show = figureText(spec.format, frame)
  const left = nameRoom(rows.map((row) => name(row.name)))
  const x = scaleLinear(
    [0, Math.max(Number.MIN_VALUE, ...rows.map(({ value }) => value ?? 0))],
    [0, size.width - left - 90],
  )
  return rows.map((row, index) => {
    const y = 4 + index * rowHeight
    const width = Math.max(0, x(row.value ?? 0))
    const href = linkTo(links, row.name)
    return [
      h('text', { class: 'name end', x: left - 12, y: y + 17 }, name(row.name)),
      h('rect', {
        class: row.color === null ? 'c0' : colorClass(row.color, 0),
        x: left,
        width: Math.max(width, row.value ? 1 : 0),
        y: y + 6,
        height: 14,
        rx: 1,
      }),
      h('text', { class: 'tick', x: left + width + 8, y: y + 17 }, show(row.value)),
      href !== null && hover(size, { x: 0, width: size.width, y, height: rowHeight }, href),
    ]
  })
}
