import { z } from 'zod'
import * as specs from '../../render/chart-spec.ts'
import { finding, incidents, reference } from './block-schema.ts'

/** Keys that every chart has. */
const common = {
  title: z.string(),
  subtitle: z.string().default(''),
  data: specs.name,
  width: z.enum(['full', 'half']).default('full'),
  /** Marker lines with the name of their column, e.g. `[summary.median]`. */
  rules: z.array(reference).default([]),
  incidents,
  finding,
}

/** A chart: its kind decides which keys it has. */
export const chartSchema = z.discriminatedUnion('type', [
  z.strictObject({ ...common, ...specs.lineSpec.shape }),
  z.strictObject({ ...common, ...specs.columnsSpec.shape }),
  z.strictObject({ ...common, ...specs.barsSpec.shape }),
  z.strictObject({ ...common, ...specs.percentilesSpec.shape }),
  z.strictObject({ ...common, ...specs.histogramSpec.shape }),
  z.strictObject({ ...common, ...specs.heatmapSpec.shape }),
  z.strictObject({ ...common, ...specs.survivalSpec.shape }),
  z.strictObject({ ...common, ...specs.controlSpec.shape }),
])

export type ChartBody = z.output<typeof chartSchema>
