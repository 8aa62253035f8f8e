import { countText, type FormatContext, format, plain } from '../render/format.ts'
import { type Child, h, type Markup, scrolling, tableRow } from '../render/html.ts'
import { shorten } from '../render/sanitize-text.ts'
import { bar } from '../render/table-html.ts'
import { inOrder, moreHtml, NAME_MOST } from './facet-html.ts'
import type { Facet } from './facets.ts'
import { type Filter, toggled } from './filter.ts'
import { linkHtml } from './link-html.ts'
import type { Asked } from './statements.ts'

/** Figures for the incidents that have one value of a facet, such as one team. Times are medians in seconds. */
export interface Part {
  readonly value: string | null
  readonly incidents: number
  readonly before: number
  readonly tta: number | null
  readonly tta_before: number | null
}

const SHOWN = 12

export function breakdownHtml({ filter, facets, days }: Asked, parts: readonly Part[]): Markup {
  const facet = facets.find(({ name }) => name === filter.by)!
  const name = `By ${facet.label.toLowerCase()}`
  const all = inOrder(facet, parts)
  const shown = filter.all === facet.name ? all : all.slice(0, SHOWN)
  const hasTimes = filter.person === null
  const previous = days.previous && LATER
  const heads: readonly Cell[] = cells([
    ['num', 'Incidents'],
    previous && [previous, 'Previous'],
    hasTimes && ['num', 'Time to acknowledge'],
    hasTimes && previous && [previous, 'Previous'],
  ])
  const most = Math.max(1, ...all.map(({ incidents }) => Number(incidents)))
  const linked = (value: string) =>
    linkHtml(toggled(filter, facet.name, value), shorten(facet.words(value), NAME_MOST))
  const row = ({ value, incidents, before, tta, tta_before }: Part) =>
    tableRow(
      cells([
        ['wrap', value === null ? '(none)' : linked(value)],
        ['num', [countText(incidents), bar(Number(incidents) / most)]],
        previous && [previous, countText(before)],
        hasTimes && ['num', duration(tta)],
        hasTimes && previous && [previous, duration(tta_before)],
      ]),
    )
  const head = [
    h('th', { scope: 'col' }, facet.label),
    heads.map(([kind, label]) => h('th', { scope: 'col', class: kind }, label)),
  ]
  const table = h('table', {}, h('thead', {}, h('tr', {}, head)), h('tbody', {}, shown.map(row)))
  return h(
    'section',
    {},
    h('h2', {}, name),
    waysHtml(filter, facets),
    scrolling(name, table),
    moreHtml(facet.name, all.length, shown.length, filter),
  )
}

function waysHtml(filter: Filter, facets: readonly Facet[]): Markup {
  const way = ({ name, label }: Facet) =>
    linkHtml({ ...filter, by: name, all: null }, label, name === filter.by)
  return h('nav', { class: 'periods', 'aria-label': 'Break down by' }, 'Break down by', facets.map(way))
}

/** CSS class for columns that are hidden on a phone. */
const LATER = 'num later'

type Cell = readonly [string, Child]
const cells = (all: readonly (Cell | null | false)[]) => all.filter((one) => one !== null && one !== false)

const ANY: FormatContext = { timezone: 'UTC', year: '' }
const duration = (seconds: number | null) => plain(format(seconds, 'duration', ANY))
