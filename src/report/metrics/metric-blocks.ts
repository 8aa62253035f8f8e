import { z } from 'zod'
import { ReportError, unknownName } from '../../errors.ts'
import type { Format } from '../../render/spec.ts'
import { anyScale, columnSpec, name, small } from '../../render/spec.ts'
import type { Place } from '../parse/report-errors.ts'
import { bySql } from './grouped-metric-sql.ts'
import type { Metric, Metrics } from './metric-file.ts'
import { countedBy } from './metric-incidents.ts'
import { type Asked, periodsSql, seriesSql } from './metric-sql.ts'

/** What a card, a column or a chart may say of a metric. */
const asked = {
  metric: name,
  /** A condition on its rows, SQL. */
  where: z.string().optional(),
  /** The name of its column; that of the metric unless given. */
  as: name.optional(),
}

/** A figure of both periods, for texts. */
export const metricsSchema = z.array(z.strictObject(asked)).min(1)

/** The same keys where there may be none. */
export const askedMetric = { ...asked, metric: name.optional() }

/** A column of a table that has a row for each value of `by`. */
const columnSchema = z.strictObject({
  ...asked,
  /** Of a duration: which figures of it, a column each. */
  show: z
    .array(z.enum(['median', 'p90', 'mean']))
    .min(1)
    .default(['median']),
  ...columnSpec.omit({ column: true, interval: true, n: true, open: true, spark: true, link: true }).shape,
})

/** The keys of a table that asks for metrics. */
export const metricTable = { by: name, where: z.string().optional(), columns: z.array(columnSchema).min(1) }

/** The keys of a chart that asks for a metric. */
export const metricChart = {
  metric: name,
  where: z.string().optional(),
  by: name.default('week'),
  color: name.optional(),
  facet: name.optional(),
  /** Values of `color`, `facet` or `by`, those with the most. */
  most: z.number().int().positive().max(100).optional(),
  /** That of its kind unless given. */
  scale: anyScale.optional(),
  small,
  stack: z.boolean().optional(),
}

/** A query that blocks ask for; `conditions` are what the author wrote in it. */
export interface MadeQuery {
  name: string
  sql: string
  at: Place
  conditions: readonly SqlPart[]
  /** Of figures of both periods what each rests on, by its column: a `select` of it. */
  bases?: ReadonlyMap<string, string>
  /** Columns that hold seconds, also those that nothing shows. */
  seconds: ReadonlySet<string>
}

/** A piece of SQL that is checked alone, so that its mistake is told where it stands. */
export interface SqlPart {
  sql: string
  rows: string
  at: Place
}

interface Written {
  metric: string
  where?: string | undefined
  as?: string | undefined
}

/** What an author wrote, with what it stands for. Throws `ReportError` for a metric that is not known. */
export function askedFor({ metric, where, as }: Written, { metrics, isAny }: Metrics, at: Place): Asked {
  const found = metrics.get(metric) ?? (isAny ? metrics.get('time_to_resolve') : undefined)
  if (!found)
    throw new ReportError(`There is no metric "${metric}".`, at, {
      next: unknownName(metric, metrics.keys()),
    })
  return { metric: found, where: where ?? null, column: as ?? metric, at }
}

/** What stands behind the name of a duration in the names of its figures. */
const ends = ['', '_low', '_high'].flatMap((end) => ['', '_p90', '_mean'].map((part) => `${part}${end}`))
const secondsEnds = [...ends, '_p10', '_p25', '_p75', '_limit']

/** A query of these figures. */
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

/** The queries behind figures of both periods: themselves, and by week where `trends` asks for it. */
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

/** What a figure of a metric rests on: its own expression, or all that it is made of. */
function basisOf({ metric, where }: Asked, { rows }: Metrics): string {
  const { count, share, duration, figure, of, open } = metric
  const counted = count && `count(*) filter (${count} and ${of})`
  const made = counted ?? (share ? `(${share}) / (${of})` : undefined)
  const parts = made ? [made] : [duration, figure?.replace(/\{\w+\}/g, 'true'), of, open].filter((one) => one)
  return `select ${parts.join(',\n')}\nfrom (${rows.get(metric.rows)!.sql}\n) where ${where ?? 'true'}`
}

/** The format of a metric where an author gives none. */
export function formatOfMetric(metric: Metric): Format {
  if (metric.format) return metric.format
  return metric.duration ? 'duration' : metric.share ? 'percent' : 'number'
}

/** What is written in these figures, each alone. */
export function conditionsOf(
  figures: readonly Asked[],
  { rows }: Metrics,
  by: string | null = null,
): SqlPart[] {
  return figures.flatMap(({ metric, where, at }) => {
    const { sql } = rows.get(metric.rows)!
    const own = [
      metric.count,
      metric.share,
      metric.duration,
      metric.of,
      metric.open,
      metric.known,
      metric.target,
    ]
    return [
      ...(metric.at ? own.flatMap((one) => (one ? [{ sql: one, rows: sql, at: metric.at! }] : [])) : []),
      ...(where === null ? [] : [{ sql: where, rows: sql, at }]),
      ...(by === null ? [] : [{ sql: by, rows: sql, at }]),
    ]
  })
}

/** A table with a row for each value of `by`: its query, and its columns. */
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
  const query = madeOf(
    queryName,
    bySql(figures, { by: body.by, where, most: null }, metrics),
    figures,
    conditions,
  )
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

/** @param isOne of several of this duration: the median has its name, and the others what they are */
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
