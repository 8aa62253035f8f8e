import { z } from 'zod'
import { charts } from '../../render/charts/index.ts'
import * as specs from '../../render/spec.ts'
import { askedMetric, metricChart, metricsSchema, metricTable } from '../metrics/metric-blocks.ts'
import { type Condition, parseCondition } from './condition.ts'

const { format, incidents, name } = specs

/** A column of a query, written `query.column`. */
export interface Reference {
  query: string
  column: string
}

/** A column of a query. */
const reference = z
  .string()
  .regex(/^[a-z]\w*\.[a-z]\w*$/i, 'expected query.column')
  .transform((text): Reference => {
    const [query = '', column = ''] = text.split('.')
    return { query, column }
  })

/** What findings can be about; a chart or a table that names one proves it, and takes its sentence as headline. */
const findingTopic = z.enum([
  ...(['open', 'targets', 'counts', 'severities', 'teams', 'sources', 'hours'] as const),
  ...(['acknowledge', 'resolve', 'nights'] as const),
])
export type FindingTopic = z.output<typeof findingTopic>
const finding = findingTopic.nullable().default(null)

/** What is looked at for findings: each is a file `findings-*.sql` of `reports/frame/`. */
const findingPart = z.enum(['open', 'targets', 'counts', 'times', 'nights'])
export type FindingPart = z.output<typeof findingPart>

/** The lead of a report. */
export const findingsSchema = z.strictObject({
  about: z.array(findingPart).default([...findingPart.options]),
  /** What is said behind the findings, or instead of them. */
  rest: z.string().default(''),
})

/** What changed since an event of the configuration, or since each of them. */
export const compareSchema = z.strictObject({ event: z.string().min(1).optional() })

/** A text, or several: the first whose figures are all known is shown. */
const texts = z.union([z.string(), z.array(z.string()).min(1)])

const commonOfCharts = {
  title: texts,
  subtitle: z.string().default(''),
  width: z.enum(['full', 'half']).default('full'),
  /** Marker lines with the name of their column, e.g. `[summary.median]`. */
  rules: z.array(reference).default([]),
  incidents,
  finding,
}

/** Keys that every chart has. */
const common = { ...commonOfCharts, data: name }

/** What a report may write of each of these kinds of chart: its own keys, and those that every chart has. */
type Written<Kinds extends readonly { spec: { shape: z.core.$ZodShape } }[]> = {
  readonly [Place in keyof Kinds]: z.ZodObject<typeof common & Kinds[Place]['spec']['shape'], z.core.$strict>
}

/** A chart: its kind decides which keys it has. */
export const chartSchema = z.discriminatedUnion(
  'type',
  // `map` forgets how many there are, and which place has which shape.
  charts.map(({ spec }) => z.strictObject({ ...common, ...spec.shape })) as unknown as Written<typeof charts>,
)

/** Keys that every table has. */
const commonOfTables = {
  title: texts.default(''),
  subtitle: z.string().default(''),
  empty: texts.default('Nothing to show.'),
  /** A relation: while it has no rows there is no such table, and its query is not asked. */
  configured: name.nullable().default(null),
  finding,
  limit: z.number().int().positive().max(1000).default(100),
  incidents,
}

export const tableSchema = z.strictObject({
  ...commonOfTables,
  data: name,
  columns: z
    .array(z.union([name.transform((each) => specs.columnSpec.parse({ column: each })), specs.columnSpec]))
    .optional(),
})

/** A table of metrics, with a row for each value of a column. */
export const metricTableSchema = z.strictObject({ ...commonOfTables, ...metricTable })

/** A chart of a metric, of one of the kinds that can draw one. */
export const metricChartSchema = z.strictObject({
  type: z.enum(['line', 'control', 'columns', 'bars', 'percentiles']),
  ...commonOfCharts,
  ...metricChart,
})

const better = z.enum(['lower', 'higher', 'neither'])

const cardSchema = z.strictObject({
  label: z.string(),
  value: reference,
  format,
  better: better.default('neither'),
  /** Observations behind the value. */
  n: reference.optional(),
  /** A column over weeks, drawn as a small line. */
  trend: reference.optional(),
  /** In the unit of the value: seconds, a share, or a number; or the column that holds it. */
  target: z.union([z.number(), reference]).optional(),
  /** The incidents that it counts. */
  incidents,
})

/** A card: of a figure of a query, or of a metric, which says what is not written. */
const writtenCard = cardSchema
  .partial()
  .extend({
    ...askedMetric,
    better: better.optional(),
    /** Of a metric: false draws no small line. */
    trend: z.union([reference, z.literal(false)]).optional(),
  })
  .superRefine(({ metric, where, as, ...card }, context) => {
    const missing = (['label', 'value', 'format'] as const).filter((key) => card[key] === undefined)
    const needed = metric === undefined ? missing : []
    for (const key of needed)
      context.addIssue({ code: 'invalid_type', expected: 'string', path: [key], input: undefined })
    const extra = metric === undefined ? { where, as } : { value: card.value, n: card.n }
    for (const [key, value] of Object.entries(extra))
      if (value !== undefined)
        context.addIssue({
          code: 'custom',
          path: [key],
          message: metric ? 'a card of a metric has none of its own' : 'only a card of a metric has one',
        })
  })

/** A row of cards. */
export const kpiSchema = z.array(writtenCard).min(1).max(6)

/** Conditions of a report; `when` is read by `parseCondition`. */
const gates = z
  .array(
    z.strictObject({
      name: z.string().regex(/^[\w-]+$/, 'expected letters, digits, - and _'),
      when: z.string().transform((text, context): { text: string; condition: Condition } => {
        const condition = parseCondition(text)
        if (typeof condition !== 'string') return { text, condition }
        context.addIssue({ code: 'custom', message: condition })
        return z.NEVER
      }),
      message: z.string().default(''),
    }),
  )
  .default([])

export const frontMatterSchema = z.strictObject({
  title: z.string(),
  description: z.string().default(''),
  /** Cron, in the report's time zone. */
  schedule: z.string().optional(),
  about_open: z.boolean().default(false),
  /** Made for each team too, where that is asked for; not what compares teams. */
  per_team: z.boolean().default(true),
  params: z
    .strictObject({
      period: z.string().optional(),
      timezone: z.string().optional(),
      team: z.union([z.string(), z.array(z.string())]).optional(),
      severity: z.union([z.string(), z.array(z.string())]).optional(),
      account: z.union([z.string(), z.array(z.string())]).optional(),
    })
    .default({}),
  /** What fails the report: the page is written, and says so, and the exit status is 3. */
  fail_if: gates,
  /** What the page warns of. */
  warn_if: gates,
})

export type ChartBody = z.output<typeof chartSchema>
export type KpiBody = z.output<typeof cardSchema>[]
export type WrittenCards = z.output<typeof kpiSchema>
export type TableBody = z.output<typeof tableSchema>
export type FrontMatter = z.output<typeof frontMatterSchema>

/** JSON Schema of what is written in a report, for editors: its front matter, and the body of each block. */
export function reportJsonSchema(): Record<string, unknown> {
  const parts = {
    front_matter: frontMatterSchema,
    kpi: kpiSchema,
    metrics: metricsSchema,
    compare: compareSchema,
    chart: z.union([chartSchema, metricChartSchema]),
    table: z.union([tableSchema, metricTableSchema]),
  }
  const written = Object.entries(parts).map(([name, schema]) => {
    const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' })
    return [name, rest]
  })
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Front matter and blocks of a report',
    $ref: '#/$defs/front_matter',
    $defs: Object.fromEntries(written),
  }
}
