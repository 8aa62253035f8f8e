import { scaleLinear, scaleLog } from 'd3-scale'
import { cellsOf } from '../cells.ts'
import type { ChartBlock } from '../chart.ts'
import { countText, figureText } from '../format.ts'
import { type Child, h } from '../html.ts'
import type { Frame } from '../result/report-frame.ts'
import type { HistogramSpec } from '../spec.ts'
import { boxPath, horizontalGrid, hover, labelRoom, type Plot, readLine, type Size } from './plot.ts'
import { logTicks, valueTicks } from './ticks.ts'

/** Counts between bounds, with marker lines such as the median. What is exactly 0 stands apart from a log scale. */
export function histogram({ data, spec, rules }: ChartBlock<HistogramSpec>, frame: Frame, size: Size): Child {
  const cells = cellsOf(data)
  const bins = data.rows.flatMap((row) => {
    const [from, to, count] = [...spec.x, spec.y].map((column) => cells.number(row, column))
    return from == null || to == null || count == null || to < from ? [] : [{ from, to, count }]
  })
  const ticks = valueTicks(Math.max(0, ...bins.map(({ count }) => count)), 'number')
  const plot: Plot = {
    left: labelRoom(ticks.map(({ label }) => label)),
    right: size.width - 4,
    top: 44,
    bottom: size.height - 24,
  }
  const some = bins.filter(({ to }) => to > 0)
  const zero = some.length < bins.length ? zeroWidth : 0
  const low = Math.min(...some.map(({ from }) => from), Number.MAX_VALUE)
  const high = Math.max(1, ...bins.map(({ to }) => to))
  const log = spec.scale === 'log' && low > 0
  const scale = log
    ? scaleLog([Math.min(low, high), high], [plot.left + 1.5 * zero, plot.right]).clamp(true)
    : scaleLinear([Math.min(0, low), high], [plot.left, plot.right])
  const x = (value: number) => (log && value <= 0 ? plot.left + zero / 2 : scale(value))
  const boxOf = ({ from, to }: { from: number; to: number }) =>
    log && to <= 0 ? { x: plot.left, width: zero } : { x: x(from), width: Math.max(2, x(to) - x(from)) }
  const y = scaleLinear([0, ticks.at(-1)!.value], [plot.bottom, plot.top])
  const show = figureText(spec.format, frame)
  const below = log
    ? [
        ...(zero ? [{ value: 0, label: show(0) }] : []),
        // The label of 0 needs the room of the first one.
        ...logTicks([low, high], spec.format, x, 46).filter(
          ({ value }) => !zero || x(value) > plot.left + 46,
        ),
      ]
    : valueTicks(high, spec.format)
  return [
    horizontalGrid(ticks, y, plot),
    h('path', {
      class: 'c0',
      d: boxPath(
        bins.map((bin) => ({
          x: boxOf(bin).x,
          width: boxOf(bin).width - 1,
          y: y(bin.count),
          height: plot.bottom - y(bin.count),
        })),
      ),
    }),
    below.map(({ value, label }) => [
      h('line', { class: 'axis', x1: x(value), x2: x(value), y1: plot.bottom, y2: plot.bottom + 4 }),
      h('text', { class: 'tick middle', x: Math.min(x(value), plot.right - 12), y: plot.bottom + 18 }, label),
    ]),
    rules.map((rule, index) => marker(rule, index, { count: rules.length, x, plot, show })),
    bins.map((bin) =>
      hover(
        size,
        { ...boxOf(bin), y: 0, height: plot.bottom },
        null,
        readLine(
          { x: plot.left, room: size.width - plot.left },
          `${rangeText(bin.from, bin.to, show)} · `,
          countText(bin.count),
        ),
      ),
    ),
  ]
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
