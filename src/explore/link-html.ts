import { h, type Markup } from '../render/html.ts'
import { addressOf, type Filter } from './filter.ts'

/** Renders a link to the Explore page with a filter. @param isCurrent marks the link as the current choice */
export function linkHtml(filter: Filter, words: string, isCurrent = false, label?: string): Markup {
  const current = isCurrent ? 'true' : null
  return h('a', { href: addressOf(filter), 'aria-current': current, 'aria-label': label }, words)
}
