import { cell, limitOf, numberAt, pairOf, valueNow } from '../judge/figure-values.ts'
import { format, numberOf, plain } from '../render/format.ts'
import type { KpiCard, QueryResult } from '../render/result.ts'
import type { KpiBody, Reference } from '../report/parse/block-schema.ts'
import type { Place } from '../report/parse/report-errors.ts'
import type { ResolveContext } from './draw-text.ts'
import { LEAST } from './drop-missing-values.ts'
import { changeOf } from './sentences/change-sentences.ts'

/** Resolves a card with value, n, CI, change, target and trend. */
export function resolveKpi(card: KpiBody[number], at: Place, known: ResolveContext): KpiCard {
  const { query, column } = card.value
  const result = known.results.get(query)!
  const pair = pairOf(result, at)
  const value = cell(result, pair.now, column)
  const figure = numberOf(value)
  const shown = (number: number) => format(number, card.format, known.context)
  const judged = known.figures.of(card.value)
  const interval = judged?.interval ?? null
  const n = (card.n && numberAt(card.n, at, known)) ?? judged?.n ?? null
  return {
    label: card.label,
    value: format(value, card.format, known.context),
    n,
    interval: interval && [shown(interval[0]), shown(interval[1])],
    // Unknown figures and figures without a period, such as open incidents, have no change.
    change:
      judged && (figure !== null || !pair.now) && hasPeriods(result)
        ? changeOf(result, column, pair, card.better, judged, known.context)
        : null,
    target: targetOf(card, at, known, figure, { interval, n }),
    trend: card.trend === undefined ? [] : trendOf(card.trend, known),
    link: pair.now && (known.linksOf(card.incidents)?.get(pair.now) ?? null),
  }
}

function targetOf(
  card: KpiBody[number],
  at: Place,
  known: ResolveContext,
  figure: number | null,
  { interval, n }: { interval: readonly [number, number] | null; n: number | null },
): KpiCard['target'] {
  const { better, format: as } = card
  const limit = limitOf(card, at, known)
  if (limit === null || figure === null) return null
  // The column `…_is_default` marks built-in targets.
  const isDefault =
    typeof card.target === 'object' &&
    valueNow(known, { ...card.target, column: `${card.target.column}_is_default` }, at) === true
  const shown = `${plain(format(limit, as, known.context))}${isDefault ? ' (default)' : ''}`
  const isFew = n !== null && n < LEAST
  const isNoise = isFew || (interval !== null && interval[0] <= limit && limit <= interval[1])
  const doubt = { isNoise, ...(isFew ? { isFew } : {}), ...(isDefault ? { isDefault } : {}) }
  return better === 'higher'
    ? { text: `at least ${shown}`, met: figure >= limit, ...doubt }
    : { text: `at most ${shown}`, met: figure <= limit, ...doubt }
}

function hasPeriods({ columns }: QueryResult): boolean {
  return columns.some(({ name }) => name === 'period')
}

/** Only full weeks, because a partial week would look like a drop. */
function trendOf({ query, column }: Reference, known: ResolveContext): KpiCard['trend'] {
  const result = known.results.get(query)!
  return result.rows
    .map((row) => ({ at: String(cell(result, row, 'week')), value: numberOf(cell(result, row, column)) }))
    .filter(({ at }) => known.wholeWeeks.has(at))
}
