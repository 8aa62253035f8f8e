import { scaleLinear, scaleLog } from 'd3-scale'
import type { PercentilesSpec } from '../chart-spec.ts'
import { type Child, h, type Markup } from '../html.ts'
import type { ChartBlock, Frame, QueryResult } from '../result.ts'
import { colorClass } from './category.ts'
import { figureText } from './figure-text.ts'
import { drawing, hover, labelRoom, type Plot, type Size } from './plot.ts'
import { columnsOf } from './read.ts'
import { logTicks, valueTicks } from './value-ticks.ts'

const rowHeight = 30

export function percentilesHeight(data: QueryResult): number {
  return 44 + data.rows.length * rowHeight
}

interface Strip {
  name: string
  /** p10, p25, median, p75, p90; null where there is none. */
  at: (number | null)[]
  n: number | null
}

/** A strip for each category: line from p10 to p90, bar over the middle half, a gap at the median. */
export function percentiles(
  { data, spec }: ChartBlock & { spec: PercentilesSpec },
  frame: Frame,
  size: Size,
  sentence: string,
): Markup {
  const cells = columnsOf(data)
  const strips = data.rows.map(
    (row): Strip => ({
      name: cells.text(row, spec.y),
      at: spec.x.map((column) => cells.number(row, column)),
      n: spec.n === null ? null : cells.number(row, spec.n),
    }),
  )
  const values = strips.flatMap(({ at }) => at).filter((value) => value !== null)
  const plot: Plot = {
    left: labelRoom(strips.map(({ name }) => name)) + 8,
    right: size.width - 54,
    top: 38,
    bottom: size.height - 6,
  }
  const log = spec.scale === 'log' && values.some((value) => value > 0)
  const low = Math.max(1, Math.min(...values.filter((value) => value > 0)))
  const top = Math.max(1, ...values)
  const x = log
    ? scaleLog([low, Math.max(top, low * 2)], [plot.left, plot.right]).clamp(true)
    : scaleLinear([0, valueTicks(top, spec.format).at(-1)!.value], [plot.left, plot.right])
  const ticks = log ? logTicks([low, top], spec.format, x, 52) : valueTicks(top, spec.format)
  const show = figureText(spec.format, frame)
  return drawing(
    size,
    sentence,
    ticks.map(({ value, label }) => [
      h('line', { class: 'grid', x1: x(value), x2: x(value), y1: plot.top - 6, y2: plot.bottom }),
      h('text', { class: 'tick middle', x: x(value), y: plot.top - 12 }, label),
    ]),
    strips.map((strip, index): Child => {
      const y = plot.top + index * rowHeight + rowHeight / 2
      const [p10, p25, median, p75, p90] = strip.at
      const few = strip.n !== null && strip.n < spec.small
      const color = colorClass(strip.name, 0)
      const place = (value: number) => x(log ? Math.max(value, low) : value)
      return [
        h('text', { class: 'name end', x: plot.left - 12, y: y + 4 }, strip.name),
        median == null
          ? h('text', { class: 'note', x: plot.left, y: y + 4 }, 'none')
          : h(
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
              h('rect', { class: 'gap', x: place(median) - 1.5, width: 3, y: y - 7, height: 14 }),
            ),
        strip.n !== null &&
          h(
            'text',
            { class: few ? 'tick warn' : 'tick', x: plot.right + 10, y: y + 4 },
            few ? `n ${strip.n} !` : `n ${strip.n}`,
          ),
        hover(
          { x: 0, width: size.width, y: y - rowHeight / 2, height: rowHeight },
          h(
            'text',
            { class: 'read', x: 0, y: 10 },
            h('tspan', { class: 'strong' }, `${strip.name} median ${show(median)}`),
            h(
              'tspan',
              {},
              ` · half ${show(p25)} – ${show(p75)}${size.narrow ? '' : ` · p90 ${show(p90)}`}${few ? ' · few' : ''}`,
            ),
          ),
        ),
      ]
    }),
  )
}
