import { scaleBand, scaleLinear } from 'd3-scale'
import type { ColumnsSpec } from '../chart-spec.ts'
import { type Child, h, type Markup } from '../html.ts'
import type { ChartBlock, Frame, QueryResult } from '../result.ts'
import { bucketsOf } from './buckets.ts'
import { figureText } from './figure-text.ts'
import { drawing, type Size } from './plot.ts'
import { columnsOf } from './read.ts'

const cellHeight = 84

/** How high the drawing gets: rows of three, or of two on a phone. */
export function multiplesHeight(data: QueryResult, facet: string, narrow: boolean): number {
  const cells = columnsOf(data)
  const count = new Set(data.rows.map((row) => cells.text(row, facet))).size
  return Math.max(1, Math.ceil(count / (narrow ? 2 : 3))) * cellHeight
}

/** One small chart of columns for each value of `facet`, all on one scale; the previous period is grey. */
export function smallMultiples(
  { data, spec }: ChartBlock & { spec: ColumnsSpec },
  frame: Frame,
  size: Size,
  sentence: string,
): Markup {
  const cells = columnsOf(data)
  const buckets = bucketsOf(data, spec.x, frame) ?? []
  const across = size.narrow ? 2 : 3
  const gap = size.narrow ? 20 : 36
  const width = (size.width - gap * (across - 1)) / across
  const facets = new Map<string, Map<string, number>>()
  for (const row of data.rows) {
    const name = cells.text(row, spec.facet!)
    if (!facets.has(name)) facets.set(name, new Map())
    facets.get(name)!.set(cells.text(row, spec.x), cells.number(row, spec.y) ?? 0)
  }
  const current = (values: Map<string, number>) =>
    buckets
      .filter(({ previous, key }) => !previous && key < frame.to)
      .reduce((sum, { key }) => sum + (values.get(key) ?? 0), 0)
  const ordered = [...facets].sort((a, b) => current(b[1]) - current(a[1]) || (a[0] < b[0] ? -1 : 1))
  const highest = Math.max(1, ...ordered.flatMap(([, values]) => [...values.values()]))
  const y = scaleLinear([0, highest], [cellHeight - 14, 20])
  const x = scaleBand(
    buckets.map(({ key }) => key),
    [0, width],
  ).paddingInner(0.12)
  const show = figureText(spec.format, frame)
  const one = ([name, values]: [string, Map<string, number>], index: number): Child => {
    const place = `translate(${(index % across) * (width + gap)} ${Math.floor(index / across) * cellHeight})`
    return h(
      'g',
      { transform: place },
      h('text', { class: 'name', x: 0, y: 10 }, shorten(name, width - 40)),
      h('text', { class: 'tick end', x: width, y: 10 }, show(current(values))),
      h('line', { class: 'axis', x1: 0, x2: width, y1: y(0), y2: y(0) }),
      buckets.map((bucket) => {
        const value = values.get(bucket.key) ?? 0
        const kind = bucket.previous ? 'grey' : bucket.partial ? 'c0 part' : 'c0'
        return [
          value > 0 &&
            h('rect', {
              class: kind,
              x: x(bucket.key)!,
              width: x.bandwidth(),
              y: y(value),
              height: y(0) - y(value),
            }),
          h(
            'g',
            { class: 'hit' },
            h('rect', { class: 'band', x: x(bucket.key)!, width: x.step(), y: 14, height: cellHeight - 20 }),
            h(
              'g',
              { class: 'readout' },
              h('text', { class: 'read', x: 0, y: cellHeight - 2 }, `${bucket.label} · ${show(value)}`),
            ),
          ),
        ]
      }),
    )
  }
  return drawing(size, sentence, ordered.map(one))
}

function shorten(text: string, room: number): string {
  const most = Math.max(4, Math.floor(room / 6.5))
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`
}
