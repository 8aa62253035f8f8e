import { type Child, h, type Markup } from './html.ts'
import { shorten } from './sanitize-text.ts'

export interface Way {
  readonly href: string
  readonly text: string
}

/** The links at the top of a page. A link is null if its page does not exist. */
export interface Site {
  readonly all: Way
  readonly previous: Way | null
  readonly next: Way | null
  readonly teams: Way | null
  readonly own?: Way
}

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

export const skipLink = h('a', { class: 'skip', href: '#main' }, 'Skip to the report')

/** Renders a table of contents, which the style sheet shows only on phones. */
export function contents(headings: readonly { readonly id: string; readonly text: Child }[]): Child {
  if (headings.length < 3) return null
  const items = headings.map(({ id, text }) => h('li', {}, h('a', { href: `#${id}` }, text)))
  return h('details', { class: 'contents' }, h('summary', {}, 'On this page'), h('ul', {}, items))
}
