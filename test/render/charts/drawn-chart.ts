import { draw } from '../../../src/render/chart-drawing.ts'
import { type ChartSpec, chartOf } from '../../../src/render/charts/index.ts'
import type { ChartBlock, Frame, Value } from '../../../src/render/result.ts'

export const frame = {
  timezone: 'UTC',
  from: '2026-09-07',
  to: '2026-10-26',
  asOf: '2026-11-01T11:30:00',
} as Frame

type Keys = Readonly<Record<string, unknown>> & { readonly type: string }

/** Keys that are left out have their defaults, as in a report. */
export const specOf = (keys: Keys): ChartSpec => chartOf(keys as ChartSpec).spec.parse(keys)

/** The block of a chart. `columns` has the types of the columns of `rows`. */
export function chart(
  keys: Keys,
  columns: Record<string, string>,
  rows: Value[][],
  more: Partial<ChartBlock> = {},
): ChartBlock {
  const types = Object.entries(columns).map(([name, type]) => ({ name, type }))
  const data = { name: 'q', sql: '', columns: types, rows }
  return {
    kind: 'chart',
    title: [],
    subtitle: [],
    width: 'full',
    spec: specOf(keys),
    data,
    rules: [],
    ...more,
  }
}

/** A block and its SVG (the wide one if two are drawn). */
export function drawn(...given: Parameters<typeof chart>) {
  const block = chart(...given)
  return { svg: draw(block, frame, 'sentence')[0]!.html, block }
}

export const count = (svg: string, part: string) => svg.split(part).length - 1
export const weeks = Array.from({ length: 13 }, (_, i) =>
  new Date(Date.UTC(2026, 7, 3 + 7 * i)).toISOString().slice(0, 10),
)
export const line = { type: 'line', x: 'week', y: 'a', format: 'duration' }
