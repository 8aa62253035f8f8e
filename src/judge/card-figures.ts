import { numberOf } from '../render/format.ts'
import type { Tone } from '../render/result.ts'
import type { KpiBody } from '../report/parse/block-schema.ts'
import { cardsOf, type Report } from '../report/parse/parse.ts'
import type { Place } from '../report/parse/report-errors.ts'
import { directionOf } from './change-verdict.ts'
import { cell, comparedIn, limitOf, numberAt, pairOf, type Results } from './figure-values.ts'
import type { Figure, Figures } from './figures.ts'

/** Minimum n of a share in a sentence. `sql/statistics/duration-changes.sql` has the same minimum for durations. */
export const LEAST = 8

/** The assessed figure of a card. `body` is the card as the author wrote it. */
export interface CardFigure {
  readonly body: KpiBody[number]
  readonly at: Place
  readonly value: number | null
  readonly before: number | null
  readonly n: number | null
  readonly judged: Figure | undefined
  /** False if the figure is unknown, or has no period, such as the number of open incidents. */
  readonly hasChange: boolean
  /** `same` unless the change is significant at 1%. */
  readonly tone: Tone
  readonly target: CardTarget | null
}

interface CardTarget {
  readonly limit: number
  readonly met: boolean
  readonly isNoise: boolean
  readonly isFew: boolean
}

interface Known extends Results {
  readonly figures: Figures
}

export type Better = CardFigure['body']['better']

/** Returns `same` unless the change is significant at 1%. */
export function toneOf({ verdict }: Pick<Figure, 'verdict'>, better: Better): Tone {
  const direction = directionOf(verdict)
  if (direction === 0 || better === 'neither') return 'same'
  return direction < 0 === (better === 'lower') ? 'better' : 'worse'
}

export function cardFigures(report: Report, known: Known): CardFigure[] {
  return cardsOf(report).map(({ card, at }) => cardFigure(card, at, known))
}

export function cardFigure(body: KpiBody[number], at: Place, known: Known): CardFigure {
  const { query, column } = body.value
  const result = known.results.get(query)!
  const pair = pairOf(result, at)
  const value = numberOf(cell(result, pair.now, column))
  const judged = known.figures.of(body.value)
  const n = (body.n && numberAt(body.n, at, known)) ?? judged?.n ?? null
  const hasPeriods = result.columns.some(({ name }) => name === 'period')
  const hasChange = judged !== undefined && (value !== null || !pair.now) && hasPeriods
  return {
    ...{ body, at, value, n, judged, hasChange },
    before: judged ? comparedIn(result, column, pair, judged).before : null,
    tone: judged && hasChange ? toneOf(judged, body.better) : 'same',
    target: value === null ? null : targetOf(body, at, known, { value, n, judged }),
  }
}

function targetOf(
  body: KpiBody[number],
  at: Place,
  known: Results,
  { value, n, judged }: { value: number; n: number | null; judged: Figure | undefined },
): CardTarget | null {
  const { better } = body
  const limit = limitOf(body, at, known)
  if (limit === null) return null
  const isFew = n !== null && n < LEAST
  const [low, high] = judged?.interval ?? [limit + 1, limit]
  const isNoise = isFew || (low <= limit && limit <= high)
  const met = better === 'higher' ? value >= limit : value <= limit
  return { limit, met, isNoise, isFew }
}
