import { PEOPLE_NOTE } from '../page/sentences/explore-sentences.ts'
import { countText } from '../render/format.ts'
import { type Child, h, type Markup, scrolling, tableRow } from '../render/html.ts'
import { shorten } from '../render/sanitize-text.ts'
import type { Facet } from './facets.ts'
import { addressOf, type Filter, toggled } from './filter.ts'
import { linkHtml } from './link-html.ts'

/** The number of incidents with one value of a facet. */
export interface Counted {
  readonly value: string
  readonly incidents: number
}

export interface Person {
  readonly person: string
  readonly name: string
  readonly incidents: number
  readonly pages: number
  readonly nights: number
  readonly open: number
}

const SHOWN = 8
const PEOPLE_SHOWN = 10
export const NAME_MOST = 60

export function facetHtml(facet: Facet, counted: readonly Counted[], filter: Filter): Markup {
  const chosen = filter.chosen.get(facet.name) ?? []
  const all = inOrder(facet, [
    ...counted,
    // Shows a selected value even if no incident has it, so that the user can remove it from the filter.
    ...chosen
      .filter((value) => !counted.some((one) => one.value === value))
      .map((value) => ({ value, incidents: 0 })),
  ])
  const isAll = filter.all === facet.name || all.length <= SHOWN + 1
  const shown = isAll ? all : all.filter(({ value }, index) => index < SHOWN || chosen.includes(value))
  const most = Math.max(1, ...all.map(({ incidents }) => incidents))
  const item = ({ value, incidents }: Counted) => {
    const current = chosen.includes(value) ? 'true' : null
    const link = {
      class: 'value',
      href: addressOf(toggled(filter, facet.name, value)),
      'aria-current': current,
    }
    const name = h('span', {}, shorten(facet.words(value), NAME_MOST))
    const count = h('span', { class: 'count' }, ` ${countText(incidents)}`)
    return h('li', {}, h('a', link, share(incidents / most), name, count))
  }
  return h(
    'section',
    {},
    h('h3', {}, facet.label),
    all.length === 0 ? h('p', { class: 'more' }, 'None.') : h('ul', {}, shown.map(item)),
    moreHtml(facet.name, all.length, shown.length, filter),
  )
}

/** Sorts values in the fixed order of the facet, if the facet has one. */
export function inOrder<One extends { readonly value: string | null }>(
  { values }: Facet,
  counted: readonly One[],
): readonly One[] {
  const place = (value: string | null) => values!.indexOf(value ?? '') + 1 || values!.length + 1
  return values === undefined ? counted : counted.toSorted((a, b) => place(a.value) - place(b.value))
}

function share(part: number): Markup {
  return h(
    'svg',
    { viewBox: '0 0 100 10', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    h('rect', { class: 'share', width: part <= 0 ? 0 : Math.max(1, 100 * part), height: 10 }),
  )
}

/** Renders a link that switches between all values and fewer values. @param all total number of values */
export function moreHtml(name: string, all: number, shown: number, filter: Filter): Child {
  const isAll = filter.all === name
  if (all === shown && !isAll) return null
  const words = isAll ? 'Show fewer' : `Show all ${countText(all)}`
  return h('p', { class: 'more' }, linkHtml({ ...filter, all: isAll ? null : name }, words))
}

/** Never shows times, so that nobody can compare individuals. */
export function peopleHtml(people: readonly Person[], filter: Filter): Child {
  if (people.length === 0 && filter.person === null) return null
  const isAll = filter.all === 'person' || people.length <= PEOPLE_SHOWN
  const shown = people.filter(
    ({ person }, index) => isAll || index < PEOPLE_SHOWN || person === filter.person,
  )
  const row = (one: Person) => {
    const isChosen = filter.person === one.person
    const other = { ...filter, person: isChosen ? null : one.person, page: 1 }
    const name = linkHtml(other, shorten(one.name, NAME_MOST), isChosen)
    const counts = [one.incidents, one.pages, one.nights, one.open]
    return tableRow([['wrap', name], ...counts.map((count): [string, Child] => ['num', countText(count)])])
  }
  const head = h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Name'), CARRIED.map(headHtml)))
  return h(
    'section',
    {},
    h('h2', {}, 'People'),
    h('p', { class: 'sub' }, PEOPLE_NOTE),
    scrolling('People', h('table', {}, head, h('tbody', {}, shown.map(row)))),
    moreHtml('person', people.length, shown.length, filter),
  )
}

const CARRIED = ['Incidents', 'Pages', 'At night', 'Open']
const headHtml = (label: string) => h('th', { class: 'num', scope: 'col' }, label)
