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

/** What metrics are worked out from, each one `select`. */
const rowsSchema = z.strictObject({
  sql: z.string(),
  /** The same of the weeks before both periods, which say how much weeks differ. */
  before: z.string().optional(),
  /** The same of the months of a year, joined to `scoped_months`. */
  months: z.string().optional(),
})

/** One metric. Each text is SQL over its rows. */
const metricSchema = z
  .strictObject({
    label: z.string(),
    /** The question that it answers, for who asks by name. */
    question: z.string().optional(),
    rows: name.default('incidents'),
    /** Which of the rows count. */
    count: z.string().optional(),
    /** Which of the rows are the hits. */
    share: z.string().optional(),
    /** Seconds of a row. */
    duration: z.string().optional(),
    /** An aggregate, compared with nothing; `{rows}` stands for which rows it is of. */
    figure: z.string().optional(),
    /** How many a `figure` is of, where these are not all of its rows. */
    n: z.string().optional(),
    /** The ends of the 95 % interval of a `figure`. */
    low: z.string().optional(),
    high: z.string().optional(),
    /** Which of the rows it is about at all. */
    of: z.string().default('true'),
    /** Of a duration: which of the rows have none yet. */
    open: z.string().optional(),
    /** Of a duration: a macro that gives the figure of both periods by one rule, see `resolve_times`. */
    headline: name.optional(),
    /** Of a share: how it stood when its period was judged, where that is not as now. */
    stood: z.strictObject({ share: z.string(), of: z.string().optional() }).optional(),
    /** Without it nothing is known, and it is no 0. */
    known: z.string().optional(),
    /** Of a duration: the column of `config_targets` that it is held against, by severity. */
    limit: name.optional(),
    /** A column with the goal of a row; it is the target where it is the same for all that the metric is about. */
    target: z.string().optional(),
    /**
     * Of a share: the measure of `targets_attained` that it is, which gives its interval and its target, see `attained_of`. Its
     * rows have what `incident_targets` gives of scoped_incidents.
     */
    attained: z.enum(['acknowledge', 'resolve']).optional(),
    /** A column that says of the goal that nobody set it. */
    default: name.optional(),
    format: format.optional(),
    better: z.enum(['lower', 'higher', 'neither']).default('neither'),
  })
  .refine(
    ({ count, share, duration, figure }) => [count, share, duration, figure].filter(Boolean).length === 1,
    {
      message: 'expected one of count, share, duration and figure',
    },
  )

const fileSchema = z.strictObject({
  rows: z.record(name, rowsSchema).default({}),
  metrics: z.record(name, metricSchema).default({}),
})

/** What metrics are worked out from. */
export type Rows = z.output<typeof rowsSchema>

/** One metric, as its file has it. */
export interface Metric extends z.output<typeof metricSchema> {
  name: string
  /** Rows of which kind its incidents are listed as, where that is not its own. */
  listAs?: 'incidents'
  /** Where it is written, where that is beside the report. */
  at: Place | null
}

/** The metrics that a report can name, and what they are worked out from. */
export interface Metrics {
  readonly metrics: ReadonlyMap<string, Metric>
  readonly rows: ReadonlyMap<string, Rows>
  /** Nobody knows the measures of the configuration: a name that is not here may be one. */
  readonly isAny?: boolean
}

const included = inPackage('reports/frame/metrics.yaml')
let own: Metrics | undefined

/** The included metrics, and those of `metrics.yaml` beside the report, which go before them. Tells what is wrong with these. */
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
    else
      tell(
        new ReportError(`The metric "${key}" is of rows that are not known: "${metric.rows}".`, at, {
          next: unknownName(metric.rows, rows.keys()),
        }),
      )
  }
  return { metrics, rows }
}
