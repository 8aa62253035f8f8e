import { chartColumns, measuredColumns, numberColumns } from '../../render/chart-data.ts'
import { chartOf } from '../../render/charts/index.ts'
import type { Format } from '../../render/spec.ts'
import type { BlockSource } from './block-source.ts'
import type { Condition } from './condition.ts'
import { type Report, textsOf } from './parse.ts'
import type { Place } from './report-errors.ts'
import { tagsOf } from './template.ts'

/** Required type of a column: one value, a number, a list of numbers, or a date. */
export type Need = 'value' | 'number' | 'numbers' | 'date'

/** A column that a report reads. The name is null if the report reads the query but no particular column. */
export interface Read {
  query: string
  column: string | null
  format: Format | null
  needs: Need
  /** The block that reads it, such as `table`. Includes the meaning of its axes if these are easily confused. */
  by: string
  axes: string | null
  at: Place
}

/** Returns the columns that the conditions, tags, cards, charts and tables of a report read. */
export function readsOf(report: Report): Read[] {
  return [
    ...report.gates.flatMap(({ condition, at }) =>
      columnsIn(condition).map((one) => ({ ...one, format: null, ...said('condition'), at })),
    ),
    ...textsOf(report)
      .flatMap(tagsOf)
      .map(({ as, ...tag }) => ({ ...tag, ...said('text'), format: as.kind === 'plain' ? as.format : null })),
    ...report.pieces.flatMap((piece) =>
      'at' in piece && piece.kind !== 'findings' ? blockReads(piece) : [],
    ),
  ]
}

const said = (by: string) => ({ needs: 'value', by, axes: null }) as const

function columnsIn(condition: Condition): { query: string; column: string | null }[] {
  if (condition.kind !== 'compare') return [{ query: condition.query, column: null }]
  const { query, column, limit } = condition
  return [{ query, column }, ...(limit.kind === 'column' ? [limit] : [])]
}

function blockReads(piece: Exclude<BlockSource, { kind: 'findings' }>): Read[] {
  if (piece.kind === 'compare')
    return [{ query: piece.data, column: 'event', format: null, ...said('compare'), at: piece.at }]
  const by =
    piece.kind === 'kpis' ? 'card' : piece.kind === 'table' ? 'table' : `chart of type ${piece.body.type}`
  const axes = piece.kind === 'chart' ? (chartOf(piece.body).axes ?? null) : null
  const reads = (
    query: string,
    columns: readonly (string | null)[],
    format: Format | null,
    needs: Need = 'value',
  ): Read[] =>
    columns.flatMap((column) =>
      column === null ? [] : [{ query, column, format, needs, by, axes, at: piece.at }],
    )
  if (piece.kind === 'kpis')
    return piece.cards.flatMap(({ value, n, trend, target, format }) => [
      ...[value, trend, target].flatMap((one) =>
        typeof one === 'object' ? reads(one.query, [one.column], format) : [],
      ),
      ...(n ? reads(n.query, [n.column], null) : []),
      ...(trend ? reads(trend.query, ['week'], null) : []),
    ])
  const { data } = piece.body
  const own = (columns: readonly (string | null)[], format: Format | null = null, needs: Need = 'value') =>
    reads(data, columns, format, needs)
  const shown =
    piece.kind === 'chart'
      ? [
          ...own(measuredColumns(piece.body), piece.body.format, 'number'),
          ...own(numberColumns(piece.body), null, 'number'),
          ...own(chartOf(piece.body).columns(piece.body).dates ?? [], null, 'date'),
          ...own(chartColumns(piece.body)),
          ...piece.body.rules.flatMap(({ query, column }) =>
            reads(query, [column], piece.body.format, 'number'),
          ),
        ]
      : (piece.body.columns ?? []).flatMap(({ column, interval, format = null, spark, ...named }) => [
          ...own([column], format, spark ? 'numbers' : 'value'),
          ...own(interval ?? [], format),
          ...own([named.link, named.n, named.open, named.verdict?.by ?? null]),
          ...(named.verdict
            ? reads(named.verdict.query, [named.verdict.column, named.verdict.by, 'period'], null)
            : []),
        ])
  return [{ query: data, column: null, format: null, needs: 'value', by, axes, at: piece.at }, ...shown]
}
