import { scaleBand, scaleLinear } from 'd3-scale'
import { cellsOf } from '../cells.ts'
import type { ChartBlock } from '../chart.ts'
import { shorten } from '../clean.ts'
import { figureText } from '../format.ts'
import { type Child, h } from '../html.ts'
import type { QueryResult } from '../result/query-result.ts'
import type { Frame } from '../result/report-frame.ts'
import type { ColumnsSpec } from '../spec.ts'
import { linkTo } from '../text.ts'
import { boxPath, hover, type Size, textWidth } from './plot.ts'
import { valueTicks } from './ticks.ts'
import { type Bucket, bucketsOf } from './time-axis.ts'

const cellHeight = 84

/** How high the drawing gets: rows of three, or of two on a phone. */
export function multiplesHeight(data: QueryResult, facet: string, narrow: boolean): number {
  const cells = cellsOf(data)
  const count = new Set(data.rows.map((row) => cells.text(row, facet))).size
  return Math.max(1, Math.ceil(count / (narrow ? 2 : 3))) * cellHeight
}

/** One small chart of columns for each value of `facet`, all on one scale; the previous period is grey. */
export function smallMultiples(
  { data, spec, links }: ChartBlock<ColumnsSpec>,
  frame: Frame,
  size: Size,
): Child {
  const buckets = bucketsOf(data, spec.x, frame) ?? []
  const across = size.narrow ? 2 : 3
  const facets = facetsOf(data, spec)
  const period = buckets.filter(({ previous, after }) => !previous && !after)
  const valuesIn = (values: ReadonlyMap<string, number>, kept: readonly Bucket[]) =>
    kept.map(({ key }) => values.get(key) ?? 0)
  const total = (values: ReadonlyMap<string, number>) =>
    valuesIn(values, period).reduce((sum, value) => sum + value, 0)
  const ordered = [...facets].sort((a, b) => total(b[1]) - total(a[1]) || (a[0] < b[0] ? -1 : 1))
  const highest = Math.max(1, ...ordered.flatMap(([, values]) => [...values.values()]))
  const mark = valueTicks(highest, spec.format, 2).findLast(({ value }) => value <= highest) ?? {
    value: 0,
    label: '',
  }
  // Beside each stands the scale.
  const gap = Math.max(size.narrow ? 30 : 40, textWidth(mark.label) + 10)
  const width = (size.width - gap * across) / across
  const y = scaleLinear([0, highest], [cellHeight - 14, 20])
  const x = scaleBand(
    buckets.map(({ key }) => key),
    [0, width],
  ).paddingInner(0.12)
  const show = figureText(spec.format, frame)
  const kinds: Record<string, Bucket[]> = {
    grey: buckets.filter(({ previous, after, partial }) => previous || (after && !partial)),
    c0: period.filter(({ partial }) => !partial),
    'c0 part': buckets.filter(({ previous, partial }) => !previous && partial),
  }
  const one = ([name, values]: [string, Map<string, number>], index: number): Child => {
    const box = ({ key }: Bucket) => {
      const value = values.get(key) ?? 0
      return value > 0 ? [{ x: x(key)!, width: x.bandwidth(), y: y(value), height: y(0) - y(value) }] : []
    }
    const figures = valuesIn(values, period)
    const range = `${show(Math.min(...figures))} – ${show(Math.max(...figures))} per ${spec.x}`
    const text = `${range}, last ${show(figures.at(-1))}`
    const sum = show(total(values))
    const room = Math.floor((width - textWidth(sum) - 8) / 7.4)
    const transform = `translate(${(index % across) * (width + gap)} ${Math.floor(index / across) * cellHeight})`
    const readout =
      figures.length > 0 &&
      hover(
        size,
        { x: 0, width, y: 0, height: cellHeight },
        linkTo(links, name),
        h('text', { y: cellHeight - 2 }, textWidth(text) > width ? range : text),
      )
    const marks = h(
      'g',
      { transform },
      h('text', { class: 'name', y: 10 }, shorten(name, Math.max(4, room))),
      h('text', { class: 'tick end', x: width, y: 10 }, sum),
      h('line', { class: 'axis', x2: width, y1: y(0), y2: y(0) }),
      h('line', { class: 'grid', x2: width, y1: y(mark.value), y2: y(mark.value) }),
      h('text', { class: 'tick', x: width + 5, y: y(mark.value) + 4 }, mark.label),
      Object.entries(kinds).map(([kind, kept]) => {
        const boxes = kept.flatMap(box)
        return boxes.length > 0 && h('path', { class: kind, d: boxPath(boxes) })
      }),
    )
    return [marks, readout && { ...h('g', { transform }, readout), isOverlay: true as const }]
  }
  return ordered.map(one)
}

function facetsOf(data: QueryResult, { facet, x, y }: ColumnsSpec): Map<string, Map<string, number>> {
  const cells = cellsOf(data)
  const facets = new Map<string, Map<string, number>>()
  for (const row of data.rows) {
    const name = cells.text(row, facet!)
    if (!facets.has(name)) facets.set(name, new Map())
    facets.get(name)!.set(cells.text(row, x), cells.number(row, y) ?? 0)
  }
  return facets
}
