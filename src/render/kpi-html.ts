import { scaleLinear } from 'd3-scale'
import { area, line } from 'd3-shape'
import { basisText, targetText, verdictText } from '../page/sentences/card-sentences.ts'
import { countText, plainRange } from './format.ts'
import { type Child, h, type Markup } from './html.ts'
import type { Change, Frame, KpiCard } from './result-parts.ts'

export function kpisHtml(cards: readonly KpiCard[], frame: Frame): Markup {
  return h('dl', { class: 'kpis' }, ...cards.map((card) => cardHtml(card, frame)))
}

function cardHtml(card: KpiCard, frame: Frame): Markup {
  const basis = basisOf(card)
  const figure = card.value.map((part) => (part.unit ? h('small', {}, part.text) : part.text))
  return h(
    'div',
    // The card shows details on hover and focus, so keyboard users must be able to focus it.
    { class: 'kpi', tabindex: basis.length > 0 || card.change ? '0' : null },
    h('dt', {}, card.label),
    h('dd', { class: 'figure' }, card.link ? h('a', { href: card.link }, figure) : figure),
    card.change && h('dd', { class: 'move' }, changeHtml(card.change)),
    basis.length > 0 && h('dd', { class: 'extra basis' }, ...basis.map((part) => h('span', {}, part))),
    card.target && targetHtml(card.target),
    h('dd', { class: 'trend' }, sparkline(card.trend, frame)),
  )
}

/** Returns the 95% CI and the sample size as separate texts, so that a line can break only between them. */
export function basisOf({ interval, n }: Pick<KpiCard, 'interval' | 'n'>): string[] {
  return [
    ...(interval ? ['95%\u00a0CI', plainRange(...interval)] : []),
    ...(n === null ? [] : [`(n\u00a0=\u00a0${countText(n)})`]),
  ]
}

/** An inconclusive result has no color. */
function targetHtml(target: NonNullable<KpiCard['target']>): Markup {
  const tone = target.isNoise ? '' : target.met ? ' better' : ' worse'
  return h('dd', { class: `extra${tone}` }, targetText(target))
}

function changeHtml(change: Change): Child {
  const [verdict, basis] = [verdictText(change), basisText(change)]
  return [
    change.direction === 'none'
      ? verdict
      : h('b', { class: change.tone === 'same' ? null : change.tone }, verdict),
    basis !== '' && h('small', { class: 'sure' }, basis),
    change.mix && h('small', { class: 'sure' }, change.mix),
  ]
}

const width = 152
const height = 30

function sparkline(trend: KpiCard['trend'], frame: Frame): Markup | null {
  const points = trend.map(({ at, value }, index) => ({ index, value, current: at >= frame.from }))
  type Point = (typeof points)[number]
  const values = points.map(({ value }) => value).filter((value) => value !== null)
  if (values.length < 2) return null
  const x = scaleLinear([0, points.length - 1], [1, width - 5])
  const y = scaleLinear([Math.min(0, ...values), Math.max(...values) || 1], [height - 4, 4])
  const at = ({ index }: Point) => x(index)
  const draw = line<Point>(at, ({ value }) => y(value!))
    .digits(1)
    .defined(({ value }) => value !== null)
  const floor = area<Point>(at, height, ({ value }) => y(value!))
    .digits(1)
    .defined(({ value }) => value !== null)
  const current = points.filter((point) => point.current)
  // Includes the first point of the current period, so that the two lines meet.
  const previous = points.filter(
    (point, index) => !point.current || (index > 0 && !points[index - 1]!.current),
  )
  const last = points.findLast(({ value }) => value !== null)!
  return h(
    'svg',
    { class: 'spark', viewBox: `0 0 ${width} ${height}`, 'aria-hidden': 'true' },
    previous.length > 1 && h('path', { class: 'before', d: draw(previous) }),
    h('path', { class: 'spread', d: floor(current) }),
    h(
      'g',
      { class: 'line l0' },
      h('path', { class: 'stroke', d: draw(current) }),
      h('circle', { class: 'dot d0', cx: at(last), cy: y(last.value!), r: 2.5 }),
    ),
  )
}
