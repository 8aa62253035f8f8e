import { h, type Markup } from './html.ts'

/** A part that may be wider than a phone: it scrolls by itself, also by keyboard, and says its name. */
export function scrolling(name: string, content: Markup): Markup {
  return h('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': name }, content)
}
