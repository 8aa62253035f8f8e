import { z } from 'zod'
import type { ChartSpec } from '../../render/chart-spec.ts'
import { finding, format, incidents, name, reference } from './block-schema.ts'

const scale = z.enum(['linear', 'log']).default('linear')

/** Keys that every chart has. */
const common = {
  title: z.string(),
  subtitle: z.string().default(''),
  data: name,
  width: z.enum(['full', 'half']).default('full'),
  /** Marker lines with the name of their column, e.g. `[summary.median]`. */
  rules: z.array(reference).default([]),
  incidents,
  finding,
}

const series = z
  .union([name, z.array(name).min(1).max(4)])
  .transform((y) => (typeof y === 'string' ? [y] : y))
const small = z.number().int().positive().default(10)

/** A chart: its kind decides which keys it has. */
export const chartSchema = z.discriminatedUnion('type', [
  z.strictObject({
    ...common,
    type: z.literal('line'),
    x: name,
    y: series,
    /** Names of the lines, where the columns' names are not what a reader should see. */
    labels: z.array(z.string()).nullable().default(null),
    band: z.tuple([name, name]).nullable().default(null),
    n: name.nullable().default(null),
    small,
    /** How many are still open and so have no value yet. */
    open: name.nullable().default(null),
    scale,
    format: format.default('number'),
  }),
  z.strictObject({
    ...common,
    type: z.literal('columns'),
    x: name,
    y: name,
    color: name.nullable().default(null),
    facet: name.nullable().default(null),
    stack: z.boolean().default(true),
    format: format.default('number'),
  }),
  z.strictObject({
    ...common,
    type: z.literal('bars'),
    x: name,
    y: name,
    color: name.nullable().default(null),
    format: format.default('number'),
  }),
  z.strictObject({
    ...common,
    type: z.literal('percentiles'),
    x: z.tuple([name, name, name, name, name], 'expected five columns: p10, p25, median, p75, p90'),
    y: name,
    n: name.nullable().default(null),
    small,
    /** Ends of the median's 95 % interval. */
    interval: z.tuple([name, name]).nullable().default(null),
    target: name.nullable().default(null),
    open: name.nullable().default(null),
    scale,
    format: format.default('duration'),
  }),
  z.strictObject({
    ...common,
    type: z.literal('histogram'),
    x: z.tuple([name, name], 'expected two columns: the lower and the upper bound'),
    y: name,
    scale,
    format: format.default('duration'),
  }),
  z.strictObject({
    ...common,
    type: z.literal('heatmap'),
    x: name,
    y: name,
    color: name,
    /** A column that is true where an outline goes around the cells. */
    outline: name.nullable().default(null),
    format: format.default('number'),
  }),
  z.strictObject({
    ...common,
    type: z.literal('survival'),
    x: name,
    y: name,
    /** Ends of the share's 95 % interval. */
    band: z.tuple([name, name]).nullable().default(null),
    censored: name.nullable().default(null),
    scale,
    format: format.default('duration'),
  }),
  z.strictObject({
    ...common,
    type: z.literal('control'),
    x: name,
    y: name,
    /** The line of a trend; null where there is none. */
    trend: name.nullable().default(null),
    n: name.nullable().default(null),
    small,
    scale,
    format: format.default('number'),
  }),
])

export type ChartBody = z.output<typeof chartSchema>

/** What a chart block says about drawing, without its title and its data. */
export function chartSpec(body: ChartBody): ChartSpec {
  const {
    title: _1,
    subtitle: _2,
    data: _3,
    width: _4,
    rules: _5,
    incidents: _6,
    finding: _7,
    ...spec
  } = body
  return spec
}

/** Every column a chart reads. */
export function chartColumns(spec: ChartSpec): string[] {
  const { x, y } = spec
  const optional = [
    ...('band' in spec ? (spec.band ?? []) : []),
    ...('interval' in spec ? (spec.interval ?? []) : []),
    ...('n' in spec ? [spec.n] : []),
    ...('color' in spec ? [spec.color] : []),
    ...('facet' in spec ? [spec.facet] : []),
    ...('outline' in spec ? [spec.outline] : []),
    ...('open' in spec ? [spec.open] : []),
    ...('target' in spec ? [spec.target] : []),
    ...('trend' in spec ? [spec.trend ?? null] : []),
    ...('censored' in spec ? [spec.censored] : []),
  ]
  return [x, y, optional].flat().filter((name) => name !== null)
}
