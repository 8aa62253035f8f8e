import { draw } from '../../../src/render/chart-drawing.ts'
import type { ChartSpec } from '../../../src/render/charts/index.ts'
import type { ChartBlock, Frame, Value } from '../../../src/render/result.ts'

export const frame = {
  timezone: 'UTC',
  from: '2026-09-07',
  to: '2026-10-26',
  asOf: '2026-11-01T11:30:00',
} as Frame

/** The block of a chart over rows, and its SVG (the wide one if two are drawn). */
export function drawn(
  spec: ChartSpec,
  columns: Record<string, string>,
  rows: Value[][],
  more: Partial<ChartBlock> = {},
) {
  const data = {
    name: 'q',
    sql: '',
    columns: Object.entries(columns).map(([name, type]) => ({ name, type })),
    rows,
  }
  const block: ChartBlock = {
    kind: 'chart',
    title: [],
    subtitle: [],
    width: 'full',
    spec,
    data,
    rules: [],
    ...more,
  }
  return { svg: draw(block, frame, 'sentence')[0]!.html, block }
}

export const count = (svg: string, part: string) => svg.split(part).length - 1
export const weeks = Array.from({ length: 13 }, (_, i) =>
  new Date(Date.UTC(2026, 7, 3 + 7 * i)).toISOString().slice(0, 10),
)
export const line = {
  type: 'line',
  x: 'week',
  y: ['a'],
  labels: null,
  band: null,
  n: null,
  small: 10,
  open: null,
  scale: 'linear',
  format: 'duration',
} as const
