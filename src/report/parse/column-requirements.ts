import { columnsRead } from '../../render/chart-data.ts'
import { chartOf } from '../../render/charts/index.ts'
import type { Format } from '../../render/spec.ts'
import type { BlockSource } from './block-source.ts'
import type { Condition } from './condition.ts'
import { type Report, textsOf } from './parse.ts'
import type { Place } from './report-errors.ts'
import { tagsOf } from './template.ts'

/** Required type of a column: one value, a number, a list of numbers, or a date. */
export type Need = 'value' | 'number' | 'numbers' | 'date'

/** A column that a report reads. `column` is null if a block reads a query but no particular column of it. */
export interface Read {
  query: string
  column: string | null
  format: Format | null
  needs: Need
  /** The part of the report that reads the column, such as `table`. Used in error messages. */
  by: string
  /** Meaning of x and y, for charts whose axes are easily confused. */
  axes: string | null
  at: Place
}

export function readsOf(report: Report): Read[] {
  return [
    ...report.gates.flatMap(({ condition, at }) =>
      columnsIn(condition).map(({ query, column }) => read(query, column, { by: 'condition', at })),
    ),
    ...textsOf(report)
      .flatMap(tagsOf)
      .map(({ as, query, column, at }) => ({
        ...read(query, column, { by: 'text', at }),
        format: as.kind === 'plain' ? as.format : null,
      })),
    ...report.pieces.flatMap((piece) =>
      'at' in piece && piece.kind !== 'findings' ? blockReads(piece) : [],
    ),
  ]
}

type Reader = Pick<Read, 'by' | 'at'> & { axes?: string | null }

function read(query: string, column: string | null, { by, at, axes = null }: Reader): Read {
  return { query, column, format: null, needs: 'value', by, axes, at }
}

const readsBy =
  (reader: Reader) =>
  (query: string, columns: readonly (string | null)[], format: Format | null = null, needs: Need = 'value') =>
    columns.flatMap((column) => (column === null ? [] : [{ ...read(query, column, reader), format, needs }]))

function columnsIn(condition: Condition): { query: string; column: string | null }[] {
  if (condition.kind !== 'compare') return [{ query: condition.query, column: null }]
  const { query, column, limit } = condition
  return [{ query, column }, ...(limit.kind === 'column' ? [limit] : [])]
}

function blockReads(piece: Exclude<BlockSource, { kind: 'findings' }>): Read[] {
  const { at } = piece
  if (piece.kind === 'compare') return [read(piece.data, 'event', { by: 'compare', at })]
  if (piece.kind === 'kpis') {
    const reads = readsBy({ by: 'card', at })
    return piece.cards.flatMap(({ value, n, trend, target, format }) => [
      ...[value, trend, target].flatMap((one) =>
        typeof one === 'object' ? reads(one.query, [one.column], format) : [],
      ),
      ...(n ? reads(n.query, [n.column]) : []),
      ...(trend ? reads(trend.query, ['week']) : []),
    ])
  }
  const { data } = piece.body
  if (piece.kind === 'chart') {
    const { type, format, rules } = piece.body
    const { measured, numbers, dates, all } = columnsRead(piece.body)
    const reader = { by: `chart of type ${type}`, at, axes: chartOf(piece.body).axes ?? null }
    const reads = readsBy(reader)
    return [
      read(data, null, reader),
      ...reads(data, measured, format, 'number'),
      ...reads(data, numbers, null, 'number'),
      ...reads(data, dates, null, 'date'),
      ...reads(data, all),
      ...rules.flatMap(({ query, column }) => reads(query, [column], format, 'number')),
    ]
  }
  const reader = { by: 'table', at }
  const reads = readsBy(reader)
  const columns = piece.body.columns ?? []
  return [
    read(data, null, reader),
    ...columns.flatMap(({ column, interval, format = null, spark, link, n, open, findings }) => [
      ...reads(data, [column], format, spark === true ? 'numbers' : 'value'),
      ...(typeof spark === 'string' ? reads(data, [spark], null, 'numbers') : []),
      ...reads(data, interval ?? [], format),
      ...reads(data, [link, n, open, findings]),
    ]),
  ]
}
