import type { CardFigure } from '../judge/card-figures.ts'
import type { Verdict } from '../judge/change-verdict.ts'
import { cell, pairOf } from '../judge/figure-values.ts'
import { format, numberOf, plain } from '../render/format.ts'
import type { KpiCard } from '../render/result.ts'
import type { Reference } from '../report/parse/block-schema.ts'
import type { ResolveContext } from './draw-text.ts'
import { changeOf, previousCount } from './sentences/change-sentences.ts'

export function drawCard(figure: CardFigure, known: ResolveContext): KpiCard {
  const { body, at, n, hasChange } = figure
  const { query, column } = body.value
  const result = known.results.get(query)!
  const pair = pairOf(result, at)
  const shown = (number: number) => format(number, body.format, known.context)
  const judged = known.figures.of(body.value)
  const interval = judged?.interval ?? null
  const links = known.linksOf(body.incidents)
  return {
    label: body.label,
    value: format(cell(result, pair.now, column), body.format, known.context),
    n,
    interval: interval && [shown(interval[0]), shown(interval[1])],
    change: judged && hasChange ? changeOf(result, column, pair, body.better, judged, known.context) : null,
    target: targetOf(figure, known),
    trend: body.trend === undefined ? [] : trendOf(body.trend, known),
    link: pair.now && (links?.get(pair.now) ?? null),
    listBefore: pair.before && (links?.get(pair.before) ?? null),
  }
}

/**
 * Draws a card about few incidents: a value without interval and trend. A count names the previous count, and only a
 * significant change is called one.
 */
export function countCard(figure: CardFigure, known: ResolveContext): KpiCard {
  const card = { ...drawCard(figure, known), interval: null, trend: [] }
  const judged = known.figures.of(figure.body.value)
  if (!judged || isSaid(judged.verdict)) return card
  const { before } = figure
  const isCount = judged.measure === 'count' && before !== null && known.comparable
  return { ...card, change: isCount ? previousCount(before) : null }
}

/** Whether a verdict is about few incidents, too: a significant change, or a data problem. */
const isSaid = ({ code }: Verdict) => ['sure', 'silence', 'renamed', 'moved'].includes(code)

function targetOf({ body, target }: CardFigure, { context }: ResolveContext): KpiCard['target'] {
  if (target === null) return null
  const { limit, met, isNoise, isFew } = target
  const end = body.better === 'higher' ? 'at least' : 'at most'
  return {
    text: `${end} ${plain(format(limit, body.format, context))}`,
    ...{ met, isNoise, ...(isFew ? { isFew } : {}) },
  }
}

/** Returns the trend of full weeks. A partial week would look like a drop. */
function trendOf({ query, column }: Reference, known: ResolveContext): KpiCard['trend'] {
  const result = known.results.get(query)!
  return result.rows
    .map((row) => ({ at: String(cell(result, row, 'week')), value: numberOf(cell(result, row, column)) }))
    .filter(({ at }) => known.wholeWeeks.has(at))
}
