import { z } from 'zod'
import { ReportError, unknownName } from '../../errors.ts'
import type { Format } from '../../render/spec.ts'
import { anyScale, columnSpec, name, small } from '../../render/spec.ts'
import type { Place } from '../parse/report-errors.ts'
import { bySql } from './grouped-metric-sql.ts'
import type { Metric, Metrics } from './metric-file.ts'
import { countedBy } from './metric-incidents.ts'
import { type Asked, periodsSql, seriesSql } from './metric-sql.ts'

const asked = {
  metric: name,
  where: z.string().optional(),
  as: name.optional(),
}

export const metricsSchema = z.array(z.strictObject(asked)).min(1)

export const askedMetric = { ...asked, metric: name.optional() }

const columnSchema = z.strictObject({
  ...asked,
  /** Statistics of a duration. Each of them becomes a column. */
  show: z
    .array(z.enum(['median', 'p90', 'mean']))
    .min(1)
    .default(['median']),
  ...columnSpec.omit({ column: true, interval: true, n: true, open: true, spark: true, link: true }).shape,
})

export const metricTable = { by: name, where: z.string().optional(), columns: z.array(columnSchema).min(1) }

export const metricChart = {
  metric: name,
  where: z.string().optional(),
  by: name.default('week'),
  color: name.optional(),
  facet: name.optional(),
  /** Maximum number of values of `color`, `facet` or `by`. The chart shows the most frequent ones. */
  most: z.number().int().positive().max(100).optional(),
  /** The default depends on the type of chart. */
  scale: anyScale.optional(),
  small,
  stack: z.boolean().optional(),
}

/** A query generated for a block. `conditions` are SQL expressions that the author wrote. */
export interface MadeQuery {
  name: string
  sql: string
  at: Place
  conditions: readonly SqlPart[]
  /** For each figure, a `select` of the columns from which the figure is computed. */
  bases?: ReadonlyMap<string, string>
  /** Columns in seconds, including hidden ones. */
  seconds: ReadonlySet<string>
}

/** An SQL expression on `rows`. It is checked separately, so that its errors have an exact position. */
export interface SqlPart {
  sql: string
  rows: string
  at: Place
}

type Written = z.output<z.ZodObject<typeof asked>>

/** Finds a metric by name. @throws ReportError if the metric is unknown */
export function askedFor({ metric, where, as }: Written, { metrics, isAny }: Metrics, at: Place): Asked {
  const found = metrics.get(metric) ?? (isAny ? metrics.get('time_to_resolve') : undefined)
  const next = unknownName(metric, metrics.keys())
  if (!found) throw new ReportError(`Unknown metric "${metric}".`, at, { next })
  return { metric: found, where: where ?? null, column: as ?? metric, at }
}

const ends = ['', '_low', '_high'].flatMap((end) => ['', '_p90', '_mean'].map((part) => `${part}${end}`))
const secondsEnds = [...ends, '_p10', '_p25', '_p75', '_limit']

export function madeOf(
  name: string,
  sql: string,
  figures: readonly Asked[],
  conditions: readonly SqlPart[],
): MadeQuery {
  const durations = figures.filter(({ metric }) => formatOfMetric(metric) === 'duration')
  const seconds = durations.flatMap(({ column }) => secondsEnds.map((end) => `${column}${end}`))
  return { name, sql, at: figures[0]!.at, conditions, seconds: new Set(seconds) }
}

export function periodQueries(
  queryName: string,
  figures: readonly Asked[],
  trends: readonly Asked[],
  metrics: Metrics,
): MadeQuery[] {
  const conditions = conditionsOf(figures, metrics)
  const bases = new Map(figures.map((one) => [one.column, basisOf(one, metrics)]))
  const made = { ...madeOf(queryName, periodsSql(figures, metrics), figures, conditions), bases }
  if (trends.length === 0) return [made]
  const weekly = madeOf(`${queryName}_weekly`, seriesSql(trends, 'week', null, metrics), figures, conditions)
  return [made, weekly]
}

function basisOf({ metric, where }: Asked, { rows }: Metrics): string {
  const { count, share, duration, figure, of, open } = metric
  const counted = count && `count(*) filter (${count} and ${of})`
  const made = counted ?? (share ? `(${share}) / (${of})` : undefined)
  const parts = made ? [made] : [duration, figure?.replace(/\{\w+\}/g, 'true'), of, open].filter((one) => one)
  return `select ${parts.join(',\n')}\nfrom (${rows.get(metric.rows)!.sql}\n) where ${where ?? 'true'}`
}

export function formatOfMetric(metric: Metric): Format {
  if (metric.format) return metric.format
  return metric.duration ? 'duration' : metric.share ? 'percent' : 'number'
}

export function conditionsOf(
  figures: readonly Asked[],
  { rows }: Metrics,
  by: string | null = null,
): SqlPart[] {
  return figures.flatMap(({ metric, where, at }) => {
    const { sql } = rows.get(metric.rows)!
    const { count, share, duration, of, open, known, target } = metric
    const own = metric.at ? [count, share, duration, of, open, known, target] : []
    return [
      ...own.flatMap((one) => (one ? [{ sql: one, rows: sql, at: metric.at! }] : [])),
      ...(where === null ? [] : [{ sql: where, rows: sql, at }]),
      ...(by === null ? [] : [{ sql: by, rows: sql, at }]),
    ]
  })
}

export function tableOf(
  queryName: string,
  body: { by: string; where?: string | undefined; columns: readonly z.output<typeof columnSchema>[] },
  figures: readonly Asked[],
  at: Place,
  metrics: Metrics,
): { query: MadeQuery; columns: unknown[] } {
  const where = body.where ?? null
  const whole = { ...figures[0]!, where, at }
  const conditions = [...conditionsOf([whole], metrics, body.by), ...conditionsOf(figures, metrics)]
  const sql = bySql(figures, { by: body.by, where, most: null }, metrics)
  const query = madeOf(queryName, sql, figures, conditions)
  const first = body.by === 'severity' ? { column: 'severity', badge: true } : { column: body.by, wrap: true }
  const columns = body.columns.flatMap(
    ({ metric: _, where: __, as: ___, show, ...column }, index): unknown[] => {
      const figure = figures[index]!
      const counted = {
        ...column,
        incidents: column.incidents ?? countedBy(figure, { [body.by]: body.by }, where),
      }
      return figure.metric.duration
        ? show.map((which) => durationColumn(figure, counted, which, show.length > 1))
        : [plainColumn(figure, counted)]
    },
  )
  return { query, columns: [first, ...columns] }
}

type Column = Omit<z.output<typeof columnSchema>, keyof typeof asked | 'show'>

function plainColumn({ metric, column: name }: Asked, column: Column) {
  const hasEnds = metric.share || metric.low
  return {
    ...column,
    column: name,
    label: column.label ?? metric.label,
    format: column.format ?? formatOfMetric(metric),
    ...(hasEnds ? { interval: [`${name}_low`, `${name}_high`] } : {}),
    ...(metric.share ? { n: `${name}_n` } : {}),
  }
}

/** If the table shows several statistics of a duration, `isOne` is true, and the label is `p90` or `mean`. */
function durationColumn(
  { metric, column }: Asked,
  given: Column,
  which: 'median' | 'p90' | 'mean',
  isOne: boolean,
) {
  const isMedian = which === 'median'
  const name = isMedian ? column : `${column}_${which}`
  return {
    ...given,
    column: name,
    label: isMedian || !isOne ? (given.label ?? metric.label) : which,
    format: given.format ?? 'duration',
    interval: [`${name}_low`, `${name}_high`],
    ...(isMedian ? { n: `${column}_n`, ...(metric.open ? { open: `${column}_open` } : {}) } : {}),
    ...(isMedian ? {} : { priority: 2 }),
  }
}
