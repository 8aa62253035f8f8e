import { sparkline } from './chart/sparkline.ts'
import { plain } from './format.ts'
import { type Child, h, type Markup } from './html.ts'
import type { Change, Frame, KpiCard } from './result.ts'

const arrows = { up: '▲', down: '▼', none: '' } as const

/** The row of cards: value, change, interval and n, target, and the line of the trend. */
export function kpisHtml(cards: readonly KpiCard[], frame: Frame): Markup {
  return h(
    'dl',
    { class: 'kpis' },
    cards.map((card) => cardHtml(card, frame)),
  )
}

function cardHtml(card: KpiCard, frame: Frame): Markup {
  const extra = [
    ...(card.interval ? [`${plain(card.interval[0])} – ${plain(card.interval[1])}`] : []),
    ...(card.n === null ? [] : [`n\u00a0${card.n}`]),
  ]
  return h(
    'div',
    { class: 'kpi' },
    h('dt', {}, card.label),
    h(
      'dd',
      { class: 'figure' },
      card.value.map((part) => (part.unit ? h('small', {}, part.text) : part.text)),
    ),
    card.change && h('dd', { class: 'move' }, changeHtml(card.change)),
    card.change?.previous && card.change.note && h('dd', { class: 'extra' }, card.change.note),
    extra.length > 0 &&
      h(
        'dd',
        { class: 'extra basis', title: '95 % interval and number of observations' },
        extra.map((part) => h('span', {}, part)),
      ),
    card.target && targetHtml(card.target),
    h('dd', { class: 'trend' }, sparkline(card.trend, frame)),
  )
}

/** Coloured only when the figure is on one side for certain. */
function targetHtml({ text, met, isNoise }: NonNullable<KpiCard['target']>): Markup {
  const tone = isNoise ? '' : met ? ' better' : ' worse'
  return h('dd', { class: `extra${tone}` }, `${met ? '✓' : '✗'} ${text}${isNoise ? ', within noise' : ''}`)
}

function changeHtml(change: Change): Child {
  const from = change.previous && ` from ${plain(change.previous)}`
  if (change.direction === 'none') return [change.previous ? 'no detectable change' : change.note, from]
  if (change.tone === 'same') return [h('b', {}, `${arrows[change.direction]} ${change.amount}`), from]
  // The word says what the colour says, for those who cannot tell it from the other.
  return [h('b', { class: change.tone }, `${arrows[change.direction]} ${change.amount} ${change.tone}`), from]
}
