import { z } from 'zod'

/** A column of a query, written `query.column`. */
export interface Reference {
  query: string
  column: string
}

const name = z.string().regex(/^[a-z]\w*$/i, 'expected the name of a query or a column')
const reference = z
  .string()
  .regex(/^[a-z]\w*\.[a-z]\w*$/i, 'expected query.column')
  .transform((text): Reference => {
    const [query = '', column = ''] = text.split('.')
    return { query, column }
  })
const format = z.enum(['duration', 'number', 'percent', 'date', 'time', 'text'])
const scale = z.enum(['linear', 'log']).default('linear')

/** Keys that every chart has. */
const common = {
  title: z.string(),
  subtitle: z.string().default(''),
  data: name,
  width: z.enum(['full', 'half']).default('full'),
  /** Marker lines with the name of their column, e.g. `[summary.median]`. */
  rules: z.array(reference).default([]),
}

const series = z
  .union([name, z.array(name).min(1).max(4)])
  .transform((y) => (typeof y === 'string' ? [y] : y))
const small = z.number().int().positive().default(10)

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
    format: format.default('number'),
  }),
  z.strictObject({
    ...common,
    type: z.literal('survival'),
    x: name,
    y: name,
    scale,
    format: format.default('duration'),
  }),
])

export const kpiSchema = z
  .array(
    z.strictObject({
      label: z.string(),
      value: reference,
      format,
      better: z.enum(['lower', 'higher', 'neither']).default('neither'),
      /** Observations behind the value. */
      n: reference.optional(),
      /** A column over weeks, drawn as a small line. */
      trend: reference.optional(),
      /** In the unit of the value: seconds, a share, or a number. */
      target: z.number().optional(),
    }),
  )
  .min(1)
  .max(6)

const column = z.strictObject({
  column: name,
  label: z.string().optional(),
  format: format.optional(),
  bar: z.boolean().default(false),
  badge: z.boolean().default(false),
  link: name.nullable().default(null),
  wrap: z.boolean().default(false),
  priority: z.union([z.literal(1), z.literal(2)]).default(1),
})

export const tableSchema = z.strictObject({
  title: z.string().default(''),
  subtitle: z.string().default(''),
  data: name,
  columns: z.array(z.union([name.transform((each) => column.parse({ column: each })), column])).optional(),
  empty: z.string().default('Nothing to show.'),
  limit: z.number().int().positive().max(1000).default(100),
})

export const frontMatterSchema = z.strictObject({
  title: z.string(),
  description: z.string().default(''),
  /** Cron, in the report's time zone. */
  schedule: z.string().optional(),
  params: z
    .strictObject({
      period: z.string().optional(),
      timezone: z.string().optional(),
      team: z.union([z.string(), z.array(z.string())]).optional(),
      severity: z.union([z.string(), z.array(z.string())]).optional(),
    })
    .default({}),
})

export type ChartBody = z.output<typeof chartSchema>
export type KpiBody = z.output<typeof kpiSchema>
export type TableBody = z.output<typeof tableSchema>
export type FrontMatter = z.output<typeof frontMatterSchema>
