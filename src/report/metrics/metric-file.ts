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

/** The rows from which metrics are computed. Each property is one `select` statement. */
const rowsSchema = z.strictObject({
  sql: z.string(),
  /** Query for the rows of the weeks before both periods. The variation between weeks is estimated from these rows. */
  before: z.string().optional(),
  /** Query for the monthly rows of one year, joined to `scoped_months`. */
  months: z.string().optional(),
})

const metricSchema = z
  .strictObject({
    label: z.string(),
    question: z.string().optional(),
    rows: name.default('incidents'),
    /** Condition that selects the rows to count. */
    count: z.string().optional(),
    /** Condition that selects the rows in the numerator. */
    share: z.string().optional(),
    /** Expression for the duration of a row in seconds. */
    duration: z.string().optional(),
    /** An SQL aggregate whose changes are not tested. `{rows}` is replaced with the condition on its rows. */
    figure: z.string().optional(),
    /** Sample size of a `figure` that does not use all its rows. */
    n: z.string().optional(),
    /** Ends of the 95% CI of a `figure`. */
    low: z.string().optional(),
    high: z.string().optional(),
    /** Condition that selects the rows which the metric covers. */
    of: z.string().default('true'),
    /** Only for durations: condition that selects rows that have not ended. */
    open: z.string().optional(),
    /** Only for durations: the macro that computes both periods by the same rule, such as `resolve_times`. */
    headline: name.optional(),
    /** Only for shares: conditions for comparing periods, on what was known at the end of the follow-up time. */
    stood: z.strictObject({ share: z.string(), of: z.string().optional() }).optional(),
    /** If this condition is false, the count is unknown, so the metric is null instead of 0. */
    known: z.string().optional(),
    /** Only for durations: the column of `config_targets` that contains the target of each severity. */
    limit: name.optional(),
    /** Column with the objective of each row. The metric has a target only if all objectives are equal. */
    target: z.string().optional(),
    /** Only for shares: the measure for which `attained_of` provides the interval and the target. */
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
  /** Kind of rows in the metric’s incident list, if it differs from `rows`. */
  listAs?: 'incidents'
  /** Position in the `metrics.yaml` next to the report. Null for built-in metrics. */
  at: Place | null
}

export interface Metrics {
  readonly metrics: ReadonlyMap<string, Metric>
  readonly rows: ReadonlyMap<string, Rows>
  /** Whether the configuration is unknown. Any unknown name could then be a custom measure. */
  readonly isAny?: boolean
}

const included = inPackage('reports/frame/metrics.yaml')
let own: Metrics | undefined

/** Metrics in `metrics.yaml` next to the report take precedence over built-in metrics. */
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
