import type { z } from 'zod'
import type { Chart, UsualSeries } from '../chart.ts'
import { bars } from './bars.ts'
import { columns } from './columns.ts'
import { control } from './control.ts'
import { heatmap } from './heatmap.ts'
import { histogram } from './histogram.ts'
import { line } from './line.ts'
import { percentiles } from './percentiles.ts'
import { survival } from './survival.ts'

export const charts = [line, columns, bars, percentiles, histogram, heatmap, survival, control] as const

export type ChartSpec = z.output<(typeof charts)[number]['spec']>

// Each chart receives only specs of its own type, so the cast is safe.
const kinds: ReadonlyMap<string, Chart<ChartSpec>> = new Map(
  charts.map((chart): [string, Chart<ChartSpec>] => [chart.spec.shape.type.value, chart]),
)

export function usualSeries(spec: ChartSpec): UsualSeries | null {
  return chartOf(spec).usual?.(spec) ?? null
}

export function chartOf({ type }: ChartSpec): Chart<ChartSpec> {
  return kinds.get(type)!
}
