import { scaleLinear, scaleLog } from 'd3-scale'
import { curveStepAfter, line as path } from 'd3-shape'
import type { SurvivalSpec } from '../chart-spec.ts'
import { h, type Markup } from '../html.ts'
import type { ChartBlock, Frame } from '../result.ts'
import { figureText } from './figure-text.ts'
import { drawing, horizontalGrid, type Plot, type Size } from './plot.ts'
import { columnsOf } from './read.ts'
import { logTicks, valueTicks } from './value-ticks.ts'

/** The share still open after a time, as a falling step curve; a rule marks a time such as the median. */
export function survival(
  { data, spec, rules }: ChartBlock & { spec: SurvivalSpec },
  frame: Frame,
  size: Size,
  sentence: string,
): Markup {
  const cells = columnsOf(data)
  const steps = data.rows.flatMap((row): [number, number][] => {
    const time = cells.number(row, spec.x)
    const share = cells.number(row, spec.y)
    return time === null || share === null ? [] : [[time, share]]
  })
  const plot: Plot = { left: 52, right: size.width - 8, top: 22, bottom: size.height - 24 }
  const show = figureText(spec.format, frame)
  const low = Math.max(60, Math.min(...steps.map(([time]) => time)))
  const high = Math.max(low * 2, ...steps.map(([time]) => time))
  const log = spec.scale === 'log'
  const x = log
    ? scaleLog([low, high], [plot.left, plot.right]).clamp(true)
    : scaleLinear([0, high], [plot.left, plot.right])
  const y = scaleLinear([0, 1], [plot.bottom, plot.top])
  const below = log ? logTicks([low, high], spec.format, x, 46) : valueTicks(high, spec.format)
  const curve: [number, number][] = [[log ? low : 0, 1], ...steps]
  return drawing(
    size,
    sentence,
    horizontalGrid(
      [0, 0.25, 0.5, 0.75, 1].map((value) => ({ value, label: `${value * 100} %` })),
      y,
      plot,
    ),
    below.map(({ value, label }) =>
      h('text', { class: 'tick middle', x: x(value), y: plot.bottom + 18 }, label),
    ),
    h(
      'g',
      { class: 'line l0' },
      h('path', {
        class: 'stroke',
        d: path<[number, number]>(
          ([time]) => x(Math.max(time, log ? low : 0)),
          ([, share]) => y(share),
        ).curve(curveStepAfter)(curve),
      }),
    ),
    rules.map(({ label, value }) => [
      h('line', { class: 'rule', x1: x(value), x2: x(value), y1: plot.top - 8, y2: plot.bottom }),
      h('text', { class: 'name', x: x(value) + 5, y: plot.top + 2 }, `${label} ${show(value)}`),
    ]),
  )
}
