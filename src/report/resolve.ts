import { numberOf } from '../render/format.ts'
import type { Block, ChartBlock, QueryResult, TableBlock, UsualRange, Value } from '../render/result.ts'
import { chartSpec } from './chart-spec.ts'
import { cell, isSample, pairOf } from './figure.ts'
import type { Exhibit, Report } from './parse.ts'
import { resolveKpi } from './resolve-kpi.ts'
import { type Evidence, resolveText } from './resolve-text.ts'
import { fewestToDraw, fewestToJudge, usualRange } from './statistics/usual-range.ts'
import { tableColumns } from './table-columns.ts'

/** The pieces of a report with their values in place, ready to be drawn. */
export function resolve(report: Report, evidence: Evidence): Block[] {
  return report.pieces.map((piece): Block => {
    if (piece.kind === 'heading' || piece.kind === 'paragraph') {
      return { ...piece, content: resolveText(piece.content, evidence) }
    }
    if (piece.kind === 'list') {
      return { ...piece, items: piece.items.map((item) => resolveText(item, evidence)) }
    }
    if (piece.kind === 'kpis') {
      return { kind: 'kpis', cards: piece.cards.map((card) => resolveKpi(card, piece.at, evidence)) }
    }
    return piece.kind === 'chart' ? resolveChart(piece, evidence) : resolveTable(piece, evidence)
  })
}

function resolveChart(piece: Extract<Exhibit, { kind: 'chart' }>, evidence: Evidence): ChartBlock {
  const rules = piece.body.rules.flatMap(({ query, column }) => {
    const result = evidence.results.get(query)!
    const value = numberOf(cell(result, pairOf(result, piece.at).now, column))
    return value === null ? [] : [{ label: column.replaceAll('_', ' '), value }]
  })
  const spec = chartSpec(piece.body)
  const data = withoutSamples(evidence.results.get(piece.body.data)!)
  return {
    kind: 'chart',
    title: resolveText(piece.title, evidence),
    subtitle: resolveText(piece.subtitle, evidence),
    width: piece.body.width,
    spec,
    data,
    rules,
    usual: usualOf({ spec, data }, evidence),
  }
}

/**
 * The usual range of a control chart, from the buckets that are whole; on a log scale from the logarithms. The shown
 * sentence says how many points there are, because from 6 the range is drawn and from 12 a point is judged.
 */
function usualOf(
  { spec, data }: Pick<ChartBlock, 'spec' | 'data'>,
  { wholeWeeks }: Evidence,
): UsualRange | null {
  if (spec.type !== 'control') return null
  const isWhole = (row: readonly Value[]) =>
    spec.x === 'week'
      ? wholeWeeks.has(String(cell(data, row, 'week')))
      : cell(data, row, 'is_partial') !== true
  const log = spec.scale === 'log'
  const values = data.rows
    .filter(isWhole)
    .toSorted((a, b) => (String(cell(data, a, spec.x)) < String(cell(data, b, spec.x)) ? -1 : 1))
    .map((row) => numberOf(cell(data, row, spec.y)))
    .filter((value) => value !== null && (!log || value > 0)) as number[]
  const range = usualRange(log ? values.map(Math.log) : values, log ? {} : { floor: Math.min(0, ...values) })
  if (!range) return null
  const back = log ? Math.exp : (value: number) => value
  const judged = values.length >= fewestToJudge
  return {
    low: back(range.low),
    centre: back(range.centre),
    high: back(range.high),
    points: values.length,
    judged,
    note: judged
      ? `by ${range.by}s of ${values.length} points`
      : `${values.length} points; drawn from ${fewestToDraw}, judged from ${fewestToJudge}`,
  }
}

function resolveTable(piece: Extract<Exhibit, { kind: 'table' }>, evidence: Evidence): TableBlock {
  const data = withoutSamples(evidence.results.get(piece.body.data)!)
  return {
    kind: 'table',
    title: resolveText(piece.title, evidence),
    subtitle: resolveText(piece.subtitle, evidence),
    columns: tableColumns(piece.body, data.columns),
    data,
    empty: piece.body.empty,
    limit: piece.body.limit,
  }
}

/** A result without the columns that only carry the values behind another one. */
export function withoutSamples(result: QueryResult): QueryResult {
  const keep = result.columns.map(({ name }) => !isSample(name))
  if (keep.every(Boolean)) return result
  return {
    ...result,
    columns: result.columns.filter((_, index) => keep[index]),
    rows: result.rows.map((row) => row.filter((_, index) => keep[index])),
  }
}
