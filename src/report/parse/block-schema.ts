import { z } from 'zod'
import { charts } from '../../render/charts/index.ts'
import * as specs from '../../render/spec.ts'
import { askedMetric, metricChart, metricsSchema, metricTable } from '../metrics/metric-blocks.ts'
import { type Condition, parseCondition } from './condition.ts'

const { format, incidents, name } = specs

const reference = z
  .string()
  .regex(/^[a-z]\w*\.[a-z]\w*$/i, 'expected query.column')
  .transform((text) => {
    const [query = '', column = ''] = text.split('.')
    return { query, column }
  })

/** A column of a query, which authors write as `query.column`. */
export type Reference = z.output<typeof reference>

/** Topic of a finding. A chart or table with this topic shows the evidence, and the finding becomes its title. */
const findingTopic = z.enum([
  ...(['open', 'targets', 'counts', 'severities', 'teams'] as const),
  ...(['sources', 'families', 'hours', 'acknowledge', 'resolve', 'nights'] as const),
])
export type FindingTopic = z.output<typeof findingTopic>
const finding = z
  .union([findingTopic, z.array(findingTopic)])
  .default([])
  .transform((topics) => [topics].flat())

/** Groups of findings. Each is computed by a file `findings-*.sql` in `reports/frame/`. */
const findingPart = z.enum(['open', 'targets', 'counts', 'times', 'nights', 'standing'])
export type FindingPart = z.output<typeof findingPart>

export const findingsSchema = z.strictObject({
  about: z.array(findingPart).default([...findingPart.options]),
  /** The lead has only findings on these topics and on data problems. By default, it has all. */
  topics: z.array(findingTopic).optional(),
  /** Text to show after the findings, or instead of them if there are none. */
  rest: z.string().default(''),
})

/** Schema of a `compare` block. Without `event`, it compares all configured events. */
export const compareSchema = z.strictObject({ event: z.string().min(1).optional() })

/** One or more texts. The first text whose figures are all known is shown. */
const texts = z.union([z.string(), z.array(z.string()).min(1)])

const commonOfCharts = {
  title: texts,
  subtitle: z.string().default(''),
  width: z.enum(['full', 'half']).default('full'),
  /** Columns with the values of marker lines, such as `[summary.median]`. */
  rules: z.array(reference).default([]),
  incidents,
  finding,
}

const common = { ...commonOfCharts, data: name }

type Written<Kinds extends readonly { spec: { shape: z.core.$ZodShape } }[]> = {
  readonly [Place in keyof Kinds]: z.ZodObject<typeof common & Kinds[Place]['spec']['shape'], z.core.$strict>
}

export const chartSchema = z.discriminatedUnion(
  'type',
  // `map` loses the tuple type, so a cast restores it.
  charts.map(({ spec }) => z.strictObject({ ...common, ...spec.shape })) as unknown as Written<typeof charts>,
)

const commonOfTables = {
  title: texts.default(''),
  subtitle: z.string().default(''),
  empty: texts.default('Nothing to show.'),
  /** A relation, or one of its rows. If it is empty, the table is omitted and its query does not run. */
  configured: z
    .string()
    .regex(/^\w+(\.\w+)?$/)
    .nullable()
    .default(null),
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

export const metricTableSchema = z.strictObject({ ...commonOfTables, ...metricTable })

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
  n: reference.optional(),
  trend: reference.optional(),
  /** A target in the unit of the value (seconds, a share or a number), or a column that contains the target. */
  target: z.union([z.number(), reference]).optional(),
  incidents,
})

const writtenCard = cardSchema
  .partial()
  .extend({
    ...askedMetric,
    better: better.optional(),
    trend: z.union([reference, z.literal(false)]).optional(),
  })
  .superRefine((card, context) => {
    const hasMetric = card.metric !== undefined
    for (const key of hasMetric ? [] : (['label', 'value', 'format'] as const))
      if (card[key] === undefined)
        context.addIssue({ code: 'invalid_type', expected: 'string', path: [key], input: undefined })
    const message = hasMetric ? 'not allowed on a card with a metric' : 'only allowed on a card with a metric'
    for (const key of hasMetric ? (['value', 'n'] as const) : (['where', 'as'] as const))
      if (card[key] !== undefined) context.addIssue({ code: 'custom', path: [key], message })
  })

export const kpiSchema = z.array(writtenCard).min(1).max(6)

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
  /** Name in the subject of a mail (default: the title). The word `month` is replaced with the month’s name. */
  short: z.string().optional(),
  /** Cron expression, in the report’s time zone. */
  schedule: z.string().optional(),
  about_open: z.boolean().default(false),
  /** Whether the report is also created for each team, if team reports are enabled. */
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
  /** If one of these conditions is met, the page is still written, with a message, but the exit status is 3. */
  fail_if: gates,
  warn_if: gates,
})

export type ChartBody = z.output<typeof chartSchema>
export type KpiBody = z.output<typeof cardSchema>[]
export type WrittenCards = z.output<typeof kpiSchema>
export type TableBody = z.output<typeof tableSchema>
export type FrontMatter = z.output<typeof frontMatterSchema>

/** Returns the JSON Schema of front matter and blocks, for editors. */
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
