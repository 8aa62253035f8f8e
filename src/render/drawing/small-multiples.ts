import { sum } from 'd3-array'
import { scaleBand, scaleLinear } from 'd3-scale'
import { type Cells, cellsOf } from '../cells.ts'
import type { AnySpec, ChartBlock } from '../chart.ts'
import { figureText } from '../format.ts'
import { type Child, h } from '../html.ts'
import type { Frame, QueryResult, Value } from '../result-parts.ts'
import { shorten } from '../sanitize-text.ts'
import { linkTo } from '../text.ts'
import { eventPlaces } from './event-lines.ts'
import { type Box, boxPath, hover, type Size, type Tick, textWidth } from './plot.ts'
import { valueTicks } from './ticks.ts'
import { type Bucket, bucketsOf } from './time-axis.ts'

const cellHeight = 84

/** Returns the height of the drawing, which has three charts per row, or two on a phone. */
export function multiplesHeight(data: QueryResult, facet: string, narrow: boolean): number {
  const cells = cellsOf(data)
  const count = new Set(data.rows.map((row) => cells.text(row, facet))).size
  return Math.max(1, Math.ceil(count / (narrow ? 2 : 3))) * cellHeight
}

interface Facets extends AnySpec {
  x: string
  y: string
}

type Values = ReadonlyMap<string, number>

/** Draws a small column chart per value of `facet`, all on the same scale. The previous period is gray. */
export function smallMultiples(block: ChartBlock<Facets>, facet: string, frame: Frame, size: Size): Child {
  const { facets, ...layout } = layoutOf(block, facet, frame, size)
  const { across, gap, width } = layout
  return facets.map(([name, values], index) => {
    const [column, row] = [index % across, Math.floor(index / across)]
    const transform = `translate(${column * (width + gap)} ${row * cellHeight})`
    const shown = readout(name, values, layout)
    return [
      h('g', { transform }, marks(name, values, layout)),
      shown && { ...h('g', { transform }, shown), isOverlay: true as const },
    ]
  })
}

type Layout = Omit<ReturnType<typeof layoutOf>, 'facets'>

function layoutOf({ data, spec, links }: ChartBlock<Facets>, facet: string, frame: Frame, size: Size) {
  const buckets = bucketsOf(data, spec.x, frame) ?? []
  const period = buckets.filter(({ previous, after }) => !previous && !after)
  const cells = cellsOf(data)
  const inPeriod = new Set(period.map(({ key }) => key))
  const current = data.rows.filter((row) => inPeriod.has(cells.text(row, spec.x)) && isOfPeriod(row, cells))
  const facets = [...facetsOf(data, spec, facet, inPeriod)].sort(
    (a, b) => sum(valuesIn(b[1], period)) - sum(valuesIn(a[1], period)) || (a[0] < b[0] ? -1 : 1),
  )
  const highest = Math.max(1, ...facets.flatMap(([, values]) => [...values.values()]))
  const ticks = valueTicks(highest, spec.format, 2)
  const mark: Tick = ticks.findLast(({ value }) => value <= highest) ?? { value: 0, label: '' }
  const across = size.narrow ? 2 : 3
  const gap = Math.max(size.narrow ? 30 : 40, textWidth(mark.label) + 10)
  const width = (size.width - gap * across) / across
  const x = scaleBand(
    buckets.map(({ key }) => key),
    [0, width],
  ).paddingInner(0.12)
  const kinds: Readonly<Record<string, readonly Bucket[]>> = {
    grey: buckets.filter(({ previous, after, partial }) => previous || (after && !partial)),
    c0: period.filter(({ partial }) => !partial),
    'c0 part': buckets.filter(({ previous, partial }) => !previous && partial),
  }
  return {
    ...{ facets, size, across, gap, width, x, mark, kinds, period, unit: spec.x },
    // The readout shows only figures of the current period, so it links to the incidents of that period.
    linkOf: (name: string) =>
      linkTo(
        links,
        current.filter((row) => cells.text(row, facet) === name),
      ),
    // Small charts show only the lines of events, because they have no room for the names.
    events: eventPlaces(frame, buckets, ({ key }) => x(key)! + x.bandwidth() / 2, width),
    y: scaleLinear([0, highest], [cellHeight - 14, 20]),
    show: figureText(spec.format, frame),
  }
}

function marks(name: string, values: Values, layout: Layout): Child {
  const { width, x, y, mark, kinds, period, show, events } = layout
  const total = show(sum(valuesIn(values, period)))
  const room = Math.floor((width - textWidth(total) - 8) / 7.4)
  const box = ({ key }: Bucket): Box[] => {
    const value = values.get(key) ?? 0
    return value > 0 ? [{ x: x(key)!, width: x.bandwidth(), y: y(value), height: y(0) - y(value) }] : []
  }
  return [
    h('text', { class: 'name', y: 10 }, shorten(name, Math.max(4, room))),
    h('text', { class: 'tick end', x: width, y: 10 }, total),
    h('line', { class: 'axis', x2: width, y1: y(0), y2: y(0) }),
    h('line', { class: 'grid', x2: width, y1: y(mark.value), y2: y(mark.value) }),
    h('text', { class: 'tick', x: width + 5, y: y(mark.value) + 4 }, mark.label),
    events.map((event) => h('line', { class: 'rule', x1: event.x, x2: event.x, y1: 16, y2: y(0) })),
    Object.entries(kinds).map(([kind, kept]) => {
      const boxes = kept.flatMap(box)
      return boxes.length > 0 && h('path', { class: kind, d: boxPath(boxes) })
    }),
  ]
}

/** Draws the range of values of whole buckets below a small chart, with the latest one if it fits. */
function readout(name: string, values: Values, { size, width, kinds, unit, show, linkOf }: Layout) {
  const figures = valuesIn(values, kinds.c0!)
  if (figures.length === 0) return null
  const range = `${show(Math.min(...figures))} – ${show(Math.max(...figures))} per ${unit}`
  const text = `${range}, latest ${show(figures.at(-1))}`
  return hover(
    size,
    { x: 0, width, y: 0, height: cellHeight },
    linkOf(name),
    h('text', { y: cellHeight - 2 }, textWidth(text) > width ? range : text),
  )
}

function valuesIn(values: Values, kept: readonly Bucket[]): number[] {
  return kept.map(({ key }) => values.get(key) ?? 0)
}

/** The total above the chart includes only the current part of a week that is split between two periods. */
function isOfPeriod(row: readonly Value[], cells: Cells): boolean {
  const period = cells.value(row, 'period')
  return period === null || period === 'current'
}

function facetsOf(data: QueryResult, { x, y }: Facets, facet: string, inPeriod: ReadonlySet<string>) {
  const cells = cellsOf(data)
  const facets = new Map<string, Map<string, number>>()
  for (const row of data.rows) {
    const [name, key] = [cells.text(row, facet), cells.text(row, x)]
    if (!facets.has(name)) facets.set(name, new Map())
    if (!inPeriod.has(key) || isOfPeriod(row, cells)) facets.get(name)!.set(key, cells.number(row, y) ?? 0)
  }
  return facets
}
