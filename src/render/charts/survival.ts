import { scaleLinear, scaleLog } from 'd3-scale'
import { area, curveStepAfter, line as path } from 'd3-shape'
import { z } from 'zod'
import { cellsOf } from '../cells.ts'
import type { Chart, ChartBlock } from '../chart.ts'
import { numbersOf, rangeWords } from '../chart-description.ts'
import { horizontalGrid, hover, type Plot, readLine, type Size, textWidth } from '../drawing/plot.ts'
import type { Layout } from '../drawing/points.ts'
import { addMinimumTick, logTicks, valueTicks } from '../drawing/ticks.ts'
import { countText, figureText } from '../format.ts'
import { type Child, h, round } from '../html.ts'
import type { Frame, Links, QueryResult } from '../result-parts.ts'
import { sparks } from '../sparkline.ts'
import { format, name, namePair, optionalName, scale } from '../spec.ts'
import { figureLine } from '../terminal/character-plots.ts'
import { thinned } from '../terminal/paint.ts'
import { linkTo } from '../text.ts'

const survivalSpec = z.strictObject({
  type: z.literal('survival'),
  x: name,
  y: name,
  band: namePair,
  /** Column with the number of incidents at risk: those still open and observed just before the time `x`. */
  n: optionalName,
  /** Column with the number of censored incidents: still open after the time `x`, when last observed. */
  censored: optionalName,
  scale,
  format: format.default('duration'),
})

type SurvivalSpec = z.output<typeof survivalSpec>

/** The share `y` of incidents that are still open after the time `x`, with its 95% CI. Ticks mark censored incidents. */
export const survival = {
  spec: survivalSpec,
  label: 'Survival curve',
  columns: ({ x, y, band, n, censored }) => ({
    measured: [x],
    shares: [y, ...(band ?? [])],
    numbers: [n, censored],
    others: [],
  }),
  counts: ({ n }) => n,
  draw,
  describe({ data, spec }, frame) {
    const show = figureText(spec.format, frame)
    const range = rangeWords('', numbersOf(data, spec.y), figureText('percent', frame))
    const times = numbersOf(data, spec.x).filter((value) => value !== null)
    return `${range}, after ${show(Math.min(...times))} to ${show(Math.max(...times))}`
  },
  terminal({ data, spec, rules }, frame, { width, paint }) {
    const show = figureLine(spec.format, frame)
    const times = numbersOf(data, spec.x)
    const span = `${show(times[0]!)} to ${show(times.at(-1)!)}`
    const marks = rules.map(({ label, value }) => `, ${label} ${show(value)}`)
    return [
      sparks(thinned(numbersOf(data, spec.y), width - 4)),
      paint('dim', `still open after ${span}${marks.join('')}`),
    ]
  },
} satisfies Chart<SurvivalSpec>

function draw({ data, spec, rules, links }: ChartBlock<SurvivalSpec>, frame: Frame, size: Size): Child {
  const steps = stepsOf(data, spec)
  const plot: Plot = { left: 52, right: size.width - 8, top: 36, bottom: size.height - 24 }
  const show = figureText(spec.format, frame)
  const low = Math.max(60, Math.min(...steps.map(({ time }) => time)))
  const high = Math.max(low * 2, ...steps.map(({ time }) => time))
  const log = spec.scale === 'log'
  const x = log
    ? scaleLog([low, high], [plot.left, plot.right]).clamp(true)
    : scaleLinear([0, high], [plot.left, plot.right])
  const y = scaleLinear([0, 1], [plot.bottom, plot.top])
  const isBelow = log && steps.some(({ time, share }) => time <= low && share < 1)
  const below = log
    ? addMinimumTick(logTicks([low, high], spec.format, x, 46), isBelow ? low : null, x, show)
    : valueTicks(high, spec.format)
  const at = ({ time }: Step) => x(Math.max(time, log ? low : 0))
  const first: Step = { row: [], time: log ? low : 0, share: 1, band: null, n: null, censored: 0 }
  const shareAt = (time: number) => steps.findLast((step) => step.time < time)?.share ?? 1
  const inBand = steps.filter(({ band }) => band !== null)
  return [
    horizontalGrid(
      [0, 0.25, 0.5, 0.75, 1].map((value) => ({ value, label: `${value * 100}%` })),
      y,
      plot,
    ),
    below.map(({ value, label }) =>
      h('text', { class: 'tick middle', x: x(value), y: plot.bottom + 18 }, label),
    ),
    inBand.length > 1 &&
      h('path', {
        class: 'spread',
        d: area<Step>(
          at,
          ({ band }) => y(band![0]),
          ({ band }) => y(band![1]),
        )
          .curve(curveStepAfter)
          .digits(1)(inBand),
      }),
    h(
      'g',
      { class: 'line l0' },
      h('path', {
        class: 'stroke',
        d: path<Step>(at, ({ share }) => y(share))
          .curve(curveStepAfter)
          .digits(1)([first, ...steps]),
      }),
    ),
    censorMarks(steps, at, y),
    rules.map(({ label, value }) => [
      h('line', { class: 'rule', x1: x(value), x2: x(value), y1: plot.top - 8, y2: plot.bottom }),
      ruleName(x(value), `${label} ${show(value)}`, plot, y(shareAt(value))),
    ]),
    readouts(steps, { size, at, y, plot, show, links }),
  ]
}

/** Writes the name right of the line, above the curve. Near the right edge, writes it left, below the curve. */
function ruleName(x: number, text: string, plot: Plot, curve: number): Child {
  if (x + 5 + textWidth(text, true) <= plot.right)
    return h('text', { class: 'name', x: x + 5, y: plot.top + 2 }, text)
  return h('text', { class: 'name end', x: x - 5, y: Math.min(curve + 16, plot.bottom - 4) }, text)
}

type Step = ReturnType<typeof stepsOf>[number]

function stepsOf(data: QueryResult, spec: SurvivalSpec) {
  const cells = cellsOf(data)
  return data.rows.flatMap((row) => {
    const number = (column: string | null) => (column === null ? null : cells.number(row, column))
    const [time, share] = [number(spec.x), number(spec.y)]
    const [from, to] = spec.band?.map(number) ?? []
    if (time === null || share === null) return []
    const band = from == null || to == null ? null : ([from, to] as const)
    return [{ row, time, share, band, n: number(spec.n), censored: number(spec.censored) ?? 0 }]
  })
}

function censorMarks(
  steps: readonly Step[],
  at: (step: Step) => number,
  y: (share: number) => number,
): Child {
  let last = Number.NEGATIVE_INFINITY
  const kept = steps.filter((step) => {
    if (step.censored === 0 || at(step) - last < 2) return false
    last = at(step)
    return true
  })
  const d = kept.map((step) => `M${round(at(step))} ${round(y(step.share) - 4)}v8`).join('')
  return kept.length > 0 && h('path', { class: 'censored', d })
}

interface Scales extends Omit<Layout, 'at'> {
  size: Size
  at: (step: Step) => number
  links: Links | null | undefined
}

/** Divides the plot into strips of 24 pixels. The readout of a strip is the last step before its middle. */
function readouts(steps: readonly Step[], { size, at, y, plot, show, links }: Scales): Child {
  const width = 24
  const percent = (share: number) => `${Math.round(share * 100)}%`
  return Array.from({ length: Math.ceil((plot.right - plot.left) / width) }, (_, index) => {
    const left = plot.left + index * width
    const step = steps.findLast((each) => at(each) <= left + width / 2)
    if (!step) return null
    return hover(
      size,
      { x: left, width, y: 0, height: plot.bottom },
      linkTo(links, [step.row]),
      h('circle', { class: 'dot d0', cx: left + width / 2, cy: y(step.share), r: 4 }),
      readLine({ x: 0, room: plot.right }, '', `${percent(step.share)} still open`, [
        ` after ${show(step.time)}`,
        ...(step.n === null ? [] : [` · ${countText(step.n)} until then`]),
        ...(step.band ? [` · 95% CI ${percent(step.band[0])} – ${percent(step.band[1])}`] : []),
      ]),
    )
  })
}
