import { type Child, h, type Markup } from './html.ts'
import { shorten } from './sanitize-text.ts'

/** A link to another page. */
export interface Way {
  readonly href: string
  readonly text: string
}

/** Where a page leads besides; null where there is no such page. */
export interface Site {
  readonly all: Way
  readonly previous: Way | null
  readonly next: Way | null
  readonly teams: Way | null
  /** The pages of the team whose page it is. */
  readonly own?: Way
}

/** One line at the head of a page. */
export function siteHtml(site: Site | null): Child {
  if (site === null) return null
  const link = (way: Way | null | undefined, before = '', after = ''): Markup[] =>
    way ? [h('a', { href: way.href }, `${before}${shorten(way.text, 40)}${after}`)] : []
  return h('nav', { class: 'site', 'aria-label': 'Other pages' }, [
    ...link(site.all),
    ...link(site.own),
    ...link(site.previous, '‹ '),
    ...link(site.next, '', ' ›'),
    ...link(site.teams),
  ])
}

/** The first place that the keyboard reaches, shown only there. */
export const skipLink = h('a', { class: 'skip', href: '#main' }, 'To the report')

/** On a phone, where a page is many screens long: its sections. */
export function contents(headings: readonly { readonly id: string; readonly text: Child }[]): Child {
  if (headings.length < 3) return null
  return h(
    'details',
    { class: 'contents' },
    h('summary', {}, 'On this page'),
    h(
      'ul',
      {},
      headings.map(({ id, text }) => h('li', {}, h('a', { href: `#${id}` }, text))),
    ),
  )
}
