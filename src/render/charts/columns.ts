import { group, rollup, sum } from 'd3-array'
import { scaleBand, scaleLinear } from 'd3-scale'
import { z } from 'zod'
import { cellsOf } from '../cells.ts'
import type { Chart, ChartBlock } from '../chart.ts'
import { numbersOf, rangeOverTime, rangeWords, sumOf } from '../chart-description.ts'
import { fillOf, inOrder } from '../drawing/category.ts'
import { eventLines } from '../drawing/event-lines.ts'
import {
  type Box,
  boxPath,
  headRoom,
  horizontalGrid,
  hover,
  labelRoom,
  type Plot,
  readLine,
  type Size,
  targetLines,
} from '../drawing/plot.ts'
import { multiplesHeight, smallMultiples } from '../drawing/small-multiples.ts'
import { valueTicks } from '../drawing/ticks.ts'
import { type Bucket, bucketsOf, partialNote, periodShades, timeTicks } from '../drawing/time-axis.ts'
import { figureText } from '../format.ts'
import { type Child, h } from '../html.ts'
import type { Frame, QueryResult } from '../result-parts.ts'
import { format, name, optionalName } from '../spec.ts'
import { type Series, seriesLines } from '../terminal/character-plots.ts'
import { linkTo } from '../text.ts'

const columnsSpec = z.strictObject({
  type: z.literal('columns'),
  x: name,
  y: name,
  color: optionalName,
  /** Draws one small chart per value of this column, all on the same scale. */
  facet: optionalName,
  stack: z.boolean().default(true),
  format: format.default('number'),
})

type ColumnsSpec = z.output<typeof columnsSpec>

export const columns = {
  spec: columnsSpec,
  label: 'Column chart',
  columns: ({ x, y, color, facet }) => ({ measured: [y], others: [x, color, facet] }),
  series({ x, y, color, facet }) {
    const by = color ?? facet
    return by === null ? null : { x, y, by }
  },
  colors: ({ color }) => color,
  counts: ({ y, format: as }) => (as === 'number' ? y : null),
  draw: (block, frame, size) =>
    block.spec.facet === null
      ? stacked(block, frame, size)
      : smallMultiples(block, block.spec.facet, frame, size),
  height: ({ data, spec }, isNarrow) =>
    spec.facet === null ? null : multiplesHeight(data, spec.facet, isNarrow),
  describe(block, frame) {
    const { x, y, color, facet, format: as } = block.spec
    // Stacked percentages add up to 100% in every column, so the range of their sums says nothing.
    if (facet === null && !(as === 'percent' && color !== null)) return rangeOverTime(block, y, frame)
    const range = rangeWords('', numbersOf(block.data, y), figureText(as, frame))
    return facet === null ? range : `${range} per ${x}`
  },
  terminal: (block, frame, terminal) => seriesLines(rowsOf(block, frame), block, frame, terminal),
} satisfies Chart<ColumnsSpec>

function stacked(block: ChartBlock<ColumnsSpec>, frame: Frame, size: Size): Child {
  const { data, spec, rules, links } = block
  const stacks = stacksOf(data, spec, frame)
  const layout = layoutOf(stacks, block, frame, size)
  const { plot, x, y, ticks, show } = layout
  const buckets = stacks.flatMap(({ bucket }) => bucket ?? [])
  const middle = ({ key }: Bucket) => x(key)! + x.bandwidth() / 2
  return [
    periodShades(plot, buckets, middle, spec.x),
    horizontalGrid(ticks, y, plot),
    marks(stacks, layout),
    targetLines(rules, y, plot, show),
    eventLines(frame, buckets, middle, plot, size),
    xLabels(stacks, layout),
    stacks.map((stack) => readout(stack, layout, linkTo(links, stack.rows))),
  ]
}

function layoutOf(
  stacks: readonly Stack[],
  { spec, rules }: ChartBlock<ColumnsSpec>,
  frame: Frame,
  size: Size,
) {
  const highest = Math.max(0, ...stacks.map((stack) => stack.highest), ...rules.map(({ value }) => value))
  // Rounded shares can add up to slightly more than 1, but the axis must not extend to 120%.
  const ticks = valueTicks(spec.format === 'percent' ? Math.min(1, highest) : highest, spec.format)
  const plot: Plot = {
    left: labelRoom(ticks.map(({ label }) => label)),
    right: size.width - 4,
    top: headRoom(size),
    bottom: size.height - 24,
  }
  const keys = stacks.map(({ key }) => key)
  return {
    ...{ spec, plot, ticks, size, show: figureText(spec.format, frame) },
    categories: inOrder(stacks.flatMap(({ values }) => [...values.keys()])),
    x: scaleBand(keys, [plot.left, plot.right])
      .paddingInner(stacks.length > 60 ? 0.1 : 0.2)
      .paddingOuter(0.1),
    y: scaleLinear([0, ticks.at(-1)!.value], [plot.bottom, plot.top]),
  }
}

type Layout = ReturnType<typeof layoutOf>

/** Draws one path per color to save bytes. Columns of incomplete weeks are pale. */
function marks(stacks: readonly Stack[], { spec, categories, plot, x, y }: Layout): Child {
  const inner = scaleBand(categories, [0, x.bandwidth()]).paddingInner(0.05)
  const boxes = (kept: readonly Stack[]) =>
    categories.map((category, index) => {
      const parts = kept.flatMap((stack) => boxOf(stack, category))
      const fill = spec.color === null ? { class: 'c0' } : fillOf(category, index)
      return parts.length > 0 && h('path', { ...fill, d: boxPath(parts) })
    })
  function boxOf(stack: Stack, category: string): Box[] {
    const value = stack.values.get(category) ?? 0
    if (value <= 0) return []
    const below = categories.slice(0, categories.indexOf(category))
    const base = spec.stack
      ? below.reduce((sum, each) => sum + Math.max(0, stack.values.get(each) ?? 0), 0)
      : 0
    const height = y(base) - y(base + value)
    const left = x(stack.key)!
    return [
      {
        x: spec.stack ? left : left + inner(category)!,
        width: spec.stack ? x.bandwidth() : inner.bandwidth(),
        y: y(base + value),
        // Leaves a gap between parts, so that they can be told apart in grayscale print.
        height: height > 3 ? height - 1 : height,
      },
    ]
  }
  const partial = stacks.filter(({ bucket }) => bucket?.partial)
  return [
    boxes(stacks.filter((stack) => !partial.includes(stack))),
    partial.length > 0 && h('g', { class: 'part' }, boxes(partial)),
    partial.map(({ key, highest }) =>
      h('rect', {
        class: 'open',
        x: x(key)! - 1,
        width: x.bandwidth() + 2,
        y: y(highest) - 2,
        height: plot.bottom - y(highest) + 2,
      }),
    ),
  ]
}

function xLabels(stacks: readonly Stack[], { x, plot }: Layout): Child {
  const buckets = stacks.flatMap(({ bucket }) => bucket ?? [])
  const labels = buckets.length
    ? timeTicks(buckets, ({ key }) => x(key)!, plot.right)
    : stacks.map(({ key }) => ({ x: x(key)!, label: key }))
  return labels.map((label) => h('text', { class: 'tick', x: label.x, y: plot.bottom + 18 }, label.label))
}

function readout(stack: Stack, layout: Layout, href: string | null): Child {
  const { spec, categories, plot, x, show, size } = layout
  const start = size.narrow ? 0 : plot.left
  const left = x(stack.key)!
  const known = spec.color === null ? [] : categories.filter((category) => stack.values.get(category))
  const parts = known.toReversed().map((category) => ` · ${category} ${show(stack.values.get(category))}`)
  const total = spec.color !== null && spec.format === 'percent' ? '' : show(stack.total)
  const band = { x: left - (x.step() - x.bandwidth()) / 2, width: x.step(), y: 0, height: plot.bottom }
  return hover(
    size,
    band,
    href,
    readLine(
      { x: start, room: size.width - start },
      `${stack.bucket?.label ?? stack.key}${total && ' · '}`,
      total,
      stack.bucket?.partial ? [...parts, ` · ${partialNote(stack.bucket)}`] : parts,
    ),
  )
}

/** If a week is split between two periods, adds up the figures of its two rows. */
function stacksOf(data: QueryResult, spec: Pick<ColumnsSpec, 'x' | 'y' | 'color' | 'stack'>, frame: Frame) {
  const cells = cellsOf(data)
  const buckets = new Map(bucketsOf(data, spec.x, frame)?.map((bucket) => [bucket.key, bucket]))
  const rowsOfKey = group(data.rows, (row) => cells.text(row, spec.x))
  return [...new Set([...buckets.keys(), ...rowsOfKey.keys()])].map((key) => {
    const rows = rowsOfKey.get(key)!
    const values = rollup(
      rows,
      (some) => sumOf(some.map((row) => cells.number(row, spec.y))),
      (row) => (spec.color === null ? '' : cells.text(row, spec.color)),
    )
    const total = sum(values.values())
    const highest = spec.stack ? total : Math.max(0, ...[...values.values()].map((value) => value ?? 0))
    return { key, bucket: buckets.get(key) ?? null, values, rows, total, highest }
  })
}

type Stack = ReturnType<typeof stacksOf>[number]

function rowsOf({ data, spec }: ChartBlock<ColumnsSpec>, frame: Frame): Series[] {
  const color = spec.color ?? spec.facet
  const stacks = stacksOf(data, { ...spec, color }, frame)
  return inOrder(stacks.flatMap(({ values }) => [...values.keys()])).map((key) => {
    const name = color === null ? spec.y : key
    return { name, style: name, values: stacks.map(({ values }) => values.get(key) ?? null) }
  })
}
