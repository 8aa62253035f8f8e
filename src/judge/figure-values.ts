import { ReportError } from '../errors.ts'
import { numberOf } from '../render/format.ts'
import type { QueryResult, Value } from '../render/result.ts'
import type { KpiBody, Reference } from '../report/parse/block-schema.ts'
import type { Place } from '../report/parse/report-errors.ts'
import { isCompared } from './change-verdict.ts'
import type { Figure } from './figures.ts'

export interface Pair {
  now: readonly Value[] | null
  before: readonly Value[] | null
}

/** Without periods, the only row is `now`. @throws ReportError if there are several rows per period */
export function pairOf(result: QueryResult, at: Place): Pair {
  const period = result.columns.findIndex(({ name }) => name === 'period')
  const one = (rows: QueryResult['rows'], of: string) => {
    if (rows.length > 1) {
      const message = `A single figure is read here, but ${result.name} has ${rows.length} rows${of}.`
      throw new ReportError(message, at, { next: 'Aggregate to one row, or to one row for each period.' })
    }
    return rows[0] ?? null
  }
  if (period < 0) return { now: one(result.rows, ''), before: null }
  const rowsOf = (name: string) =>
    one(
      result.rows.filter((row) => row[period] === name),
      ` for the ${name} period`,
    )
  return { now: rowsOf('current'), before: rowsOf('previous') }
}

export function cell(result: QueryResult, row: readonly Value[] | null | undefined, column: string): Value {
  const index = result.columns.findIndex(({ name }) => name === column)
  return row?.[index] ?? null
}

export interface Results {
  readonly results: ReadonlyMap<string, QueryResult>
}

/** @throws ReportError if a period has several rows */
export function valueNow({ results }: Results, { query, column }: Reference, at: Place): Value {
  const result = results.get(query)!
  return cell(result, pairOf(result, at).now, column)
}

export function numberAt(reference: Reference, at: Place, known: Results): number | null {
  return numberOf(valueNow(known, reference, at))
}

export function limitOf({ target }: KpiBody[number], at: Place, known: Results): number | null {
  return typeof target === 'object' ? numberAt(target, at, known) : (target ?? null)
}

/** Compared values are computed by the same rule. If nothing is compared, returns the figures of both periods. */
export function comparedIn(
  result: QueryResult,
  column: string,
  pair: Pair,
  { measure, verdict, before }: Figure,
) {
  const figureIn = (row: Pair['now']) => numberOf(cell(result, row, column))
  const isCount = measure === 'count'
  // A period without incidents has no row.
  const now = figureIn(pair.now) ?? (isCount && !pair.now ? 0 : null)
  const isOwn = isCompared(verdict) && !isCount
  return { now, before: isOwn ? before : (figureIn(pair.before) ?? (isCount ? 0 : null)) }
}
