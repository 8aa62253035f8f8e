import { format, numberOf, plain } from '../render/format.ts'
import type { KpiCard, QueryResult } from '../render/result.ts'
import type { Reference } from './block-schema.ts'
import { changeOf, measureOf } from './change.ts'
import { cell, pairOf, sample } from './figure.ts'
import type { KpiBody } from './kpi-schema.ts'
import type { Evidence } from './resolve-text.ts'
import { quantile } from './statistics/quantile.ts'
import { quantileInterval } from './statistics/quantile-interval.ts'
import { wilson } from './statistics/wilson.ts'
import type { Place } from './tag.ts'

/** One card: value, n, interval, change, target and the line of its trend. */
export function resolveKpi(card: KpiBody[number], at: Place, evidence: Evidence): KpiCard {
  const [result, column] = lookUp(card.value, evidence)
  const pair = pairOf(result, at)
  const value = cell(result, pair.now, column)
  const figure = numberOf(value)
  const shown = (number: number) => format(number, card.format, evidence.context)
  const measure = measureOf(result.columns, column)
  const interval = figure === null ? null : intervalOf(result, column, pair.now, figure)
  return {
    label: card.label,
    value: format(value, card.format, evidence.context),
    n:
      (card.n && numberAt(card.n, at, evidence)) ??
      (measure === 'duration' ? sample(cell(result, pair.now, `${column}_sample`)).length : null),
    interval: interval && [shown(interval[0]), shown(interval[1])],
    // A figure that is read without its period, such as what is open now, is compared with nothing.
    change:
      measure && figure !== null && hasPeriods(result)
        ? changeOf(result, column, pair, card.better, evidence)
        : null,
    target: targetOf(card, at, evidence, figure, interval),
    trend: card.trend === undefined ? [] : trendOf(card.trend, evidence),
  }
}

/** Whether the figure is on the right side of its target, a number or a column's value; null without either. */
function targetOf(
  { target, better, format: as }: KpiBody[number],
  at: Place,
  evidence: Evidence,
  figure: number | null,
  interval: readonly [number, number] | null,
): KpiCard['target'] {
  const limit = typeof target === 'object' ? numberAt(target, at, evidence) : (target ?? null)
  if (limit === null || figure === null) return null
  const shown = plain(format(limit, as, evidence.context))
  const isNoise = interval !== null && interval[0] <= limit && limit <= interval[1]
  return better === 'higher'
    ? { text: `at least ${shown}`, met: figure >= limit, isNoise }
    : { text: `at most ${shown}`, met: figure <= limit, isNoise }
}

function hasPeriods({ columns }: QueryResult): boolean {
  return columns.some(({ name }) => name === 'period')
}

function intervalOf(result: QueryResult, column: string, row: Parameters<typeof cell>[1], figure: number) {
  const measure = measureOf(result.columns, column)
  if (measure === 'duration') {
    const values = sample(cell(result, row, `${column}_sample`))
    // Only a median has this interval: a sample behind a mean or a p90 is there for the verdict alone.
    const isMedian = Math.abs(quantile(values, 0.5)! - figure) <= 1e-9 * Math.max(1, figure)
    return isMedian ? quantileInterval(values, 0.5) : null
  }
  const n = measure === 'share' ? numberOf(cell(result, row, `${column}_n`)) : null
  return n === null ? null : wilson(figure * n, n)
}

function numberAt(reference: Reference, at: Place, evidence: Evidence): number | null {
  const [result, column] = lookUp(reference, evidence)
  return numberOf(cell(result, pairOf(result, at).now, column))
}

/** Whole weeks only: half a week at the end would look like a fall. */
function trendOf(reference: Reference, evidence: Evidence): KpiCard['trend'] {
  const [result, column] = lookUp(reference, evidence)
  return result.rows
    .map((row) => ({ at: String(cell(result, row, 'week')), value: numberOf(cell(result, row, column)) }))
    .filter(({ at }) => evidence.wholeWeeks.has(at))
}

function lookUp({ query, column }: Reference, evidence: Evidence): [QueryResult, string] {
  return [evidence.results.get(query)!, column]
}
