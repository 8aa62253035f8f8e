import type { z } from 'zod'
import { ReportError } from '../../errors.ts'
import { bySql } from './grouped-metric-sql.ts'
import { conditionsOf, formatOfMetric, type MadeQuery, madeOf, type metricChart } from './metric-blocks.ts'
import type { Metrics } from './metric-file.ts'
import { countedBy, ofMark } from './metric-incidents.ts'
import { type Asked, seriesSql } from './metric-sql.ts'

type ChartBody = { type: string } & Omit<z.output<z.ZodObject<typeof metricChart>>, 'metric' | 'where'>

const buckets = ['week', 'month'] as const

/** @throws ReportError if this type of chart cannot draw the metric */
export function chartOfMetric(
  queryName: string,
  body: ChartBody,
  figure: Asked,
  metrics: Metrics,
): { query: MadeQuery; keys: Record<string, unknown> } {
  const { at } = figure
  const bucket = buckets.find((one) => one === body.by)
  const series = body.color ?? body.facet
  const shape = shapes[body.type]
  const able = Object.keys(shapes).filter((type) => shapes[type]!.isOverTime === (bucket !== undefined))
  if (!shape || !able.includes(body.type)) {
    const next = `Use ${able.join(', ')}, or write the query yourself.`
    throw new ReportError(`A chart of type ${body.type} cannot draw a metric by ${body.by}.`, at, { next })
  }
  if (bucket === 'month' && !metrics.rows.get(figure.metric.rows)!.months)
    throw new ReportError(`The metric "${figure.metric.name}" is not available by month.`, at, {
      next: 'Draw it by week.',
    })
  const conditions = conditionsOf([figure], metrics, series ?? (bucket ? null : body.by))
  const sql = bucket
    ? seriesSql([figure], bucket, series ? { column: series, most: body.most ?? 9 } : null, metrics)
    : bySql([figure], { by: body.by, where: null, most: body.most ?? null }, metrics)
  const query = madeOf(queryName, sql, [figure], conditions)
  const incidents = bucket === 'month' ? null : countedBy(figure, ofMark(body))
  return { query, keys: { ...shape.keys(figure, body), format: formatOfMetric(figure.metric), incidents } }
}

interface Shape {
  isOverTime: boolean
  keys(figure: Asked, body: ChartBody): Record<string, unknown>
}

const shapes: Readonly<Record<string, Shape>> = {
  line: {
    isOverTime: true,
    keys: ({ metric, column }, { by, small, scale }) => ({
      ...{ x: by, y: column, small, ...(scale ? { scale } : {}) },
      ...(metric.duration ? { labels: ['median'], band: [`${column}_p25`, `${column}_p75`] } : {}),
      ...(metric.count || metric.figure ? {} : { n: `${column}_n` }),
      ...(metric.open ? { open: `${column}_open` } : {}),
    }),
  },
  control: {
    isOverTime: true,
    keys: ({ metric, column }, { by, small, scale }) => ({
      ...{ x: by, y: column, small, scale: scale ?? (metric.duration ? 'log' : 'linear') },
      ...(metric.count || metric.figure ? {} : { n: `${column}_n` }),
    }),
  },
  columns: {
    isOverTime: true,
    keys: ({ column }, { by, color, facet, stack }) => ({
      ...{ x: by, y: column },
      ...(color ? { color } : {}),
      ...(facet ? { facet } : {}),
      ...(stack === undefined ? {} : { stack }),
    }),
  },
  bars: { isOverTime: false, keys: ({ column }, { by }) => ({ x: column, y: by }) },
  percentiles: {
    isOverTime: false,
    keys: ({ metric, column }, { by, small, scale }) => ({
      x: ['_p10', '_p25', '', '_p75', '_p90'].map((end) => `${column}${end}`),
      ...{ y: by, n: `${column}_n`, interval: [`${column}_low`, `${column}_high`], small },
      scale: scale ?? 'log',
      ...(metric.limit && by === 'severity' ? { target: `${column}_limit` } : {}),
      ...(metric.open ? { open: `${column}_open` } : {}),
    }),
  },
}
