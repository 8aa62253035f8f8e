import { h, type Markup } from '../html.ts'
import type { ChartBlock } from '../result.ts'
import { shorten } from '../shorten.ts'
import { fillOf, inOrder } from './category.ts'
import { columnsOf } from './read.ts'

/** Names the colours of stacked and grouped columns; every other chart is labelled where it is drawn. */
export function legend({ spec, data }: ChartBlock): Markup | null {
  if (spec.type !== 'columns' || spec.color === null) return null
  const cells = columnsOf(data)
  const color = spec.color
  const names = inOrder(data.rows.map((row) => cells.text(row, color)))
  const swatch = (name: string, index: number) =>
    h(
      'svg',
      { class: 'key', viewBox: '0 0 10 10', 'aria-hidden': 'true' },
      h('rect', { ...fillOf(name, index), width: 10, height: 10, rx: 2 }),
    )
  return h(
    'ul',
    { class: 'legend' },
    names.map((name, index) => h('li', {}, swatch(name, index), shorten(name, 40))),
  )
}
