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

/** The kinds of charts, in the order in which a mistake names them. */
export const charts = [line, columns, bars, percentiles, histogram, heatmap, survival, control] as const

/** What a report says of a chart, of any kind. */
export type ChartSpec = z.output<(typeof charts)[number]['spec']>

// Each object is asked only about specs of its own type: its methods may be narrower than what stands here.
const kinds: ReadonlyMap<string, Chart<ChartSpec>> = new Map(
  charts.map((chart): [string, Chart<ChartSpec>] => [chart.spec.shape.type.value, chart]),
)

/** The values whose usual range a chart shows; null for one that shows none. */
export function usualSeries(spec: ChartSpec): UsualSeries | null {
  return chartOf(spec).usual?.(spec) ?? null
}

/** The kind of chart that a spec asks for. */
export function chartOf({ type }: ChartSpec): Chart<ChartSpec> {
  return kinds.get(type)!
}
