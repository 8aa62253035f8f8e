import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { ReportError, unknownName } from '../../errors.ts'
import { inPackage } from '../../package-path.ts'
import { format } from '../../render/spec.ts'
import { readYaml } from '../../settings/yaml.ts'
import type { Place, Tell } from '../parse/report-errors.ts'

const name = z.string().regex(/^[a-z][a-z0-9_]*$/, 'expected lower-case letters, digits and _')

/** Source rows of metrics. Each text is one `select`. */
const rowsSchema = z.strictObject({
  sql: z.string(),
  /** The rows of the weeks before both periods. The variation between weeks is estimated from them. */
  before: z.string().optional(),
  /** The rows of a year by month, joined to `scoped_months`. */
  months: z.string().optional(),
})

const metricSchema = z
  .strictObject({
    label: z.string(),
    question: z.string().optional(),
    rows: name.default('incidents'),
    /** Condition for the rows that are counted. */
    count: z.string().optional(),
    /** Condition for the rows of the numerator. */
    share: z.string().optional(),
    /** Expression for the duration of a row in seconds. */
    duration: z.string().optional(),
    /** An aggregate. Its changes are not tested. `{rows}` stands for the condition on its rows. */
    figure: z.string().optional(),
    /** Sample size of a `figure`, if the figure does not use all its rows. */
    n: z.string().optional(),
    /** 95% CI of a `figure`. */
    low: z.string().optional(),
    high: z.string().optional(),
    /** Condition on the rows that the metric covers. */
    of: z.string().default('true'),
    /** Only for durations: condition for rows that have not ended. */
    open: z.string().optional(),
    /** Only for durations: a macro that computes both periods by the same rule, see `resolve_times`. */
    headline: name.optional(),
    /** Only for shares: conditions with the facts known at the time of the comparison, which can differ from now. */
    stood: z.strictObject({ share: z.string(), of: z.string().optional() }).optional(),
    /** Condition under which the count is known. Otherwise the metric is null instead of 0. */
    known: z.string().optional(),
    /** Only for durations: column of `config_targets` with the target per severity. */
    limit: name.optional(),
    /** A column with the objective of each row. The metric has a target if all rows have the same one. */
    target: z.string().optional(),
    /** Only for shares: the measure of `targets_attained` that provides interval and target, see `attained_of`. */
    attained: z.enum(['acknowledge', 'resolve']).optional(),
    format: format.optional(),
    better: z.enum(['lower', 'higher', 'neither']).default('neither'),
  })
  .refine(({ count, share, duration, figure }) => {
    return [count, share, duration, figure].filter(Boolean).length === 1
  }, 'expected one of count, share, duration and figure')

const fileSchema = z.strictObject({
  rows: z.record(name, rowsSchema).default({}),
  metrics: z.record(name, metricSchema).default({}),
})

export type Rows = z.output<typeof rowsSchema>

export interface Metric extends z.output<typeof metricSchema> {
  name: string
  /** Kind of rows of its incident list, if the list does not have the same rows as the metric. */
  listAs?: 'incidents'
  /** Position in the `metrics.yaml` next to the report. Null for included metrics. */
  at: Place | null
}

export interface Metrics {
  readonly metrics: ReadonlyMap<string, Metric>
  readonly rows: ReadonlyMap<string, Rows>
  /** Whether the configuration is unknown, so that any unknown name could be a custom measure. */
  readonly isAny?: boolean
}

const included = inPackage('reports/frame/metrics.yaml')
let own: Metrics | undefined

/** Returns the included metrics, overridden by those in `metrics.yaml` next to the report. */
export function metricsFor(report: string, tell: Tell): Metrics {
  own ??= readMetrics(fileURLToPath(included), null, tell)
  const file = join(dirname(report), 'metrics.yaml')
  return existsSync(file) ? readMetrics(file, own, tell) : own
}

function readMetrics(file: string, base: Metrics | null, tell: Tell): Metrics {
  const { data, mistakes, lineOf } = readYaml(readFileSync(file, 'utf8'), fileSchema)
  for (const { line, message, ...rest } of mistakes) tell(new ReportError(message, { file, line }, rest))
  const rows = new Map([...(base?.rows ?? []), ...Object.entries(data?.rows ?? {})])
  const metrics = new Map(base?.metrics ?? [])
  for (const [key, metric] of Object.entries(data?.metrics ?? {})) {
    const at = { file, line: lineOf(['metrics', key]) }
    if (rows.has(metric.rows)) metrics.set(key, { ...metric, name: key, at: base && at })
    else {
      const next = unknownName(metric.rows, rows.keys())
      tell(new ReportError(`The metric "${key}" uses unknown rows "${metric.rows}".`, at, { next }))
    }
  }
  return { metrics, rows }
}
