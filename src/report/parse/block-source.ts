import type { z } from 'zod'
import { quoteLiteral } from '../../definitions/quote.ts'
import { ReportError, unknownName } from '../../errors.ts'
import { readYaml } from '../../settings/yaml.ts'
import {
  askedFor,
  formatOfMetric,
  type MadeQuery,
  metricsSchema,
  periodQueries,
  tableOf,
} from '../metrics/metric-blocks.ts'
import { chartOfMetric } from '../metrics/metric-chart.ts'
import type { Metrics } from '../metrics/metric-file.ts'
import { countedBy } from '../metrics/metric-incidents.ts'
import type { Asked } from '../metrics/metric-sql.ts'
import {
  type ChartBody,
  chartSchema,
  compareSchema,
  type FindingPart,
  findingsSchema,
  type KpiBody,
  kpiSchema,
  metricChartSchema,
  metricTableSchema,
  type TableBody,
  tableSchema,
  type WrittenCards,
} from './block-schema.ts'
import type { Fence } from './prose.ts'
import { attempt, type Place, type Tell } from './report-errors.ts'
import { parseTemplate, type Template } from './template.ts'

/** A block that is visible on the page. `at` is the line of its first key. */
export type BlockSource =
  | { kind: 'kpis'; cards: KpiBody; at: Place }
  | { kind: 'compare'; data: string; event: string | null; at: Place }
  | {
      kind: 'findings'
      about: readonly FindingPart[]
      topics: readonly string[] | undefined
      rest: Template[]
      at: Place
    }
  | ({ kind: 'chart'; body: ChartBody; at: Place } & Titles)
  | ({ kind: 'table'; body: TableBody; empty: Template[][]; at: Place } & Titles)

/** Possible titles and the subtitle of a block. The first title whose figures are all known is shown. */
interface Titles {
  title: Template[][]
  subtitle: Template[]
}

/** SQL that compares the weeks before and since an event. Without `event`, compares every configured event. */
export const compareSql = (event: string | undefined) =>
  `from event_changes(${event === undefined ? '' : quoteLiteral(event)})\n`

/** The metrics that blocks can show, and a function that adds their queries to the report. */
export interface Maker {
  readonly metrics: Metrics
  /** Adds a query and returns its name. If the report already has an equal query, returns that query’s name. */
  put(query: MadeQuery & { isNamed: boolean }): string
}

/** Reports mistakes and omits invalid items. `at` is the place of the first line. */
export function readBody<Schema extends z.ZodType>(
  { text, at }: Pick<Fence, 'text' | 'at'>,
  schema: Schema,
  tell: Tell,
) {
  const { data, rest, mistakes, lineOf } = readYaml(text, schema)
  const place = (line: number) => ({ file: at.file, line: at.line + line - 1 })
  for (const { line, message, ...more } of mistakes) tell(new ReportError(message, place(line), more))
  const valid = data ? { data, lineOf } : rest
  return valid && { body: valid.data, placeOf: (...path: PropertyKey[]) => place(valid.lineOf(path)) }
}

function kindOf({ info }: Fence): readonly [kind: string, name: string | null] {
  const [, kind = '', name = null] = /^(kpi|metrics|chart|table)\s+(\w+)$/.exec(info) ?? [null, info]
  return [kind, name]
}

/** Returns undefined for an invisible block, or if `tell` reported mistakes. @throws ReportError for an unknown kind */
export function blockSource(fence: Fence, maker: Maker, tell: Tell): BlockSource | undefined {
  const { at, text } = fence
  const [kind, name] = kindOf(fence)
  const texts = (written: string | string[], key: string) =>
    [written].flat().map((one) => parseTemplate(one, keyPlace(fence, key), tell))
  const templates = (body: { title: string | string[]; subtitle: string }) => ({
    title: texts(body.title, 'title'),
    subtitle: parseTemplate(body.subtitle, keyPlace(fence, 'subtitle'), tell),
  })
  switch (kind) {
    case 'metrics': {
      const figures = entriesIn(fence, metricsSchema, maker, tell).flatMap(({ asked }) => asked ?? [])
      if (figures.length > 0) putPeriods(name ?? 'figures', name !== null, figures, [], maker)
      return undefined
    }
    case 'kpi': {
      return { kind: 'kpis', cards: cardsIn(fence, name, maker, tell), at }
    }
    case 'findings': {
      const body = readBody({ ...fence, text: text || '{}' }, findingsSchema, tell)?.body
      const rest = body && parseTemplate(body.rest, keyPlace(fence, 'rest'), tell)
      return body && { kind: 'findings', about: body.about, topics: body.topics, rest: rest!, at }
    }
    case 'compare': {
      const body = readBody({ ...fence, text: text || '{}' }, compareSchema, tell)?.body
      if (!body) return undefined
      const sql = compareSql(body.event)
      const query = { name: 'since_event', sql, at, conditions: [], seconds: new Set<string>() }
      return { kind: 'compare', data: maker.put({ ...query, isNamed: false }), event: body.event ?? null, at }
    }
    case 'chart': {
      const body = isOfMetrics(text, 'metric')
        ? metricChart(fence, name, maker, tell)
        : readBody(fence, chartSchema, tell)?.body
      return body && { kind: 'chart', body, ...templates(body), at }
    }
    case 'table': {
      const body = isOfMetrics(text, 'by')
        ? metricTable(fence, name, maker, tell)
        : readBody(fence, tableSchema, tell)?.body
      return body && { kind: 'table', body, ...templates(body), empty: texts(body.empty, 'empty'), at }
    }
    default: {
      const word = fence.info.split(/\s/, 1)[0] ?? ''
      const message = word ? `Unknown kind of block "${word}".` : 'The kind of the block is missing.'
      const next = unknownName(word, ['sql', 'findings', 'kpi', 'metrics', 'compare', 'chart', 'table'])
      throw new ReportError(message, { file: at.file, line: at.line - 1 }, { next })
    }
  }
}

function isOfMetrics(text: string, key: string): boolean {
  return new RegExp(`^${key}:`, 'm').test(text)
}

/** Finds the metrics of a block’s entries. Reports and omits invalid entries. */
function entriesIn<Entry extends Pick<WrittenCards[number], 'metric' | 'where' | 'as'>>(
  fence: Fence,
  schema: z.ZodType<readonly Entry[]>,
  { metrics }: Maker,
  tell: Tell,
): { entry: Entry; asked: Asked | null }[] {
  const { body = [], placeOf } = readBody(fence, schema, tell) ?? {}
  const entries = body.flatMap((entry, index): { entry: Entry; asked: Asked | null }[] => {
    const { metric, where, as } = entry
    if (metric === undefined) return [{ entry, asked: null }]
    const at = placeOf!(index, 'metric')
    const asked = attempt(() => askedFor({ metric, where, as }, metrics, at), tell)
    return asked ? [{ entry, asked }] : []
  })
  const columns = entries.map(({ asked }) => asked?.column)
  return entries.filter(({ asked }, index) => {
    const isTwice = asked !== null && columns.indexOf(asked.column) < index
    const next = 'Give one of them another name, such as `as: critical`.'
    if (isTwice)
      tell(new ReportError(`Two figures of this block have the name "${asked.column}".`, asked.at, { next }))
    return !isTwice
  })
}

/** Returns the name of the added query. Trends also need a weekly query, which is named `NAME_weekly`. */
function putPeriods(name: string, isNamed: boolean, figures: Asked[], trends: Asked[], maker: Maker): string {
  const [first, weekly] = periodQueries(name, figures, trends, maker.metrics)
  const put = maker.put({ ...first!, isNamed })
  if (weekly) maker.put({ ...weekly, name: `${put}_weekly`, isNamed: true })
  return put
}

function cardsIn(fence: Fence, name: string | null, maker: Maker, tell: Tell): KpiBody {
  const cards = entriesIn<WrittenCards[number]>(fence, kpiSchema, maker, tell)
  const figures = cards.flatMap(({ asked }) => asked ?? [])
  const trends = cards.flatMap(({ entry, asked }) => (entry.trend === undefined && asked) || [])
  const query = figures.length > 0 ? putPeriods(name ?? 'figures', name !== null, figures, trends, maker) : ''
  return cards.map(({ entry, asked }): KpiBody[number] => {
    const { metric: _, where: __, as: ___, trend, ...card } = entry
    const own = trend ? { trend } : {}
    const defaults = { better: card.better ?? 'neither', incidents: card.incidents ?? null }
    // The schema has checked that a card without a metric is complete.
    if (!asked) return { ...card, ...own, ...defaults } as KpiBody[number]
    const { metric, column } = asked
    const target =
      card.target ?? (metric.target || metric.attained ? { query, column: `${column}_target` } : undefined)
    return {
      label: card.label ?? metric.label,
      value: { query, column },
      format: card.format ?? formatOfMetric(metric),
      better: card.better ?? metric.better,
      incidents: card.incidents ?? countedBy(asked),
      ...(target === undefined ? {} : { target }),
      ...(metric.share ? { n: { query, column: `${column}_n` } } : {}),
      ...(trend === undefined ? { trend: { query: `${query}_weekly`, column } } : own),
    }
  })
}

function metricChart(fence: Fence, name: string | null, maker: Maker, tell: Tell) {
  const written = readBody(fence, metricChartSchema, tell)?.body
  if (!written) return undefined
  const { metric, where, by, color, facet, type, rules, title, subtitle, width, finding } = written
  const at = keyPlace(fence, 'metric')
  const figure = askedFor({ metric, where }, maker.metrics, at)
  const made = `${metric}_by_${[by, color ?? facet].filter(Boolean).join('_')}`
  const { query, keys } = chartOfMetric(name ?? made, written, figure, maker.metrics)
  const data = maker.put({ ...query, isNamed: name !== null })
  const incidents = written.incidents ?? keys.incidents ?? null
  const common = { title, subtitle, width, finding, incidents, type, data }
  return { ...chartSchema.parse({ ...common, ...keys, incidents }), rules }
}

function metricTable(fence: Fence, name: string | null, maker: Maker, tell: Tell) {
  const read = readBody(fence, metricTableSchema, tell)
  if (!read) return undefined
  const { by, where: _, columns, ...common } = read.body
  const figures = columns.map((column, place) =>
    attempt(() => askedFor(column, maker.metrics, read.placeOf('columns', place, 'metric')), tell),
  )
  if (!figures.every((one) => one !== undefined)) return undefined
  const at = keyPlace(fence, 'by')
  const { query, columns: shown } = tableOf(name ?? `metrics_by_${by}`, read.body, figures, at, maker.metrics)
  const data = maker.put({ ...query, isNamed: name !== null })
  return tableSchema.parse({ ...common, data, columns: shown })
}

function keyPlace({ text, at }: Fence, key: string): Place {
  const index = text.split('\n').findIndex((line) => line.startsWith(`${key}:`))
  return { file: at.file, line: at.line + Math.max(0, index) }
}
