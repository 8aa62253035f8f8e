import { h, type Markup } from '../render/html.ts'
import { addressOf, type Filter } from './filter.ts'

/** @param isCurrent marks the link as the current choice */
export function linkHtml(filter: Filter, words: string, isCurrent = false, label?: string): Markup {
  const current = isCurrent ? 'true' : null
  return h('a', { href: addressOf(filter), 'aria-current': current, 'aria-label': label }, words)
}
