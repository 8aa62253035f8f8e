import { clean } from './sanitize-text.ts'

/** Safe markup. Only `h` creates it. */
export interface Markup {
  readonly html: string
  /** Only for pointer devices; hidden from screen readers. */
  readonly isOverlay?: true
}

export type Child = Markup | string | number | null | undefined | false | readonly Child[]

type Attributes = Readonly<Record<string, string | number | true | null | undefined | false>>

const empty = new Set(['meta', 'br', 'hr', 'img', 'rect', 'line', 'path', 'circle', 'input'])

const coordinates = new Set(['x', 'y', 'x1', 'x2', 'y1', 'y2', 'cx', 'cy'])

/** Creates an element. Escapes texts and attribute values. Omits attributes that are null or false. */
export function h(tag: string, attributes: Attributes = {}, ...children: Child[]): Markup {
  // Fractions of a pixel are invisible in text. A second line needs its `x` even if that is 0. Otherwise, it would
  // continue after the first line.
  const all = tag === 'text' || tag === 'tspan' ? whole(attributes, tag === 'tspan') : attributes
  const start = `<${tag}${Object.entries(all).map(attribute).join('')}`
  // The slash that closes an element needs a space, or it would become part of an unquoted number.
  return {
    html: empty.has(tag)
      ? `${start}${/=[-\d.]+$/.test(start) ? ' ' : ''}/>`
      : `${start}>${render(children)}</${tag}>`,
  }
}

function whole(attributes: Attributes, keepsZero: boolean): Attributes {
  const entries = Object.entries(attributes)
  const of = (value: number) => (keepsZero ? String(Math.round(value)) : Math.round(value))
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === 'number' ? of(value) : value]),
  )
}

export function render(child: Child): string {
  if (child === null || child === undefined || child === false) return ''
  if (typeof child === 'string') return escaped(clean(child))
  if (typeof child === 'number') return String(round(child))
  return 'html' in child ? child.html : child.map(render).join('')
}

/** Rounds to a tenth of a pixel. More digits would only enlarge the page. */
export function round(value: number): number {
  return Math.round(value * 10) / 10
}

function attribute([name, value]: [string, Attributes[string]]): string {
  if (value === null || value === undefined || value === false) return ''
  if (value === 0 && coordinates.has(name)) return ''
  if (value === true) return ` ${name}`
  // A chart has thousands of numbers, so they have no quotes.
  if (typeof value === 'number') return ` ${name}=${round(value)}`
  return ` ${name}="${escaped(clean(value))}"`
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character]!)
}

/** Renders a table row without end tags, which are optional in HTML and would occur thousands of times. */
export function tableRow(kind: string | null, cells: readonly (readonly [string | null, Child])[]): Markup {
  const start = ([name, content]: (typeof cells)[number]) =>
    `<td${attribute(['class', name])}>${render(content)}`
  return { html: `<tr${attribute(['class', kind || null])}>${cells.map(start).join('')}` }
}

/** Renders a table head. Columns of `later` are hidden on a phone. */
export function tableHead(names: readonly string[], later: readonly string[] = []): Markup {
  const cells = [
    names.map((name) => h('th', { scope: 'col' }, name)),
    later.map((name) => h('th', { scope: 'col', class: 'later' }, name)),
  ]
  return h('thead', {}, h('tr', {}, cells))
}

/** Wraps wide content in a labeled region that scrolls sideways, also by keyboard. */
export function scrolling(name: string, content: Markup): Markup {
  return h('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': name }, content)
}
