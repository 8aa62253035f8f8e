import { clean } from './sanitize-text.ts'

/** HTML in which all texts are already escaped. */
export interface Markup {
  readonly html: string
  /** Whether the element is for pointing devices: it is drawn above a chart and hidden from screen readers. */
  readonly isOverlay?: true
}

export type Child = Markup | string | number | null | undefined | false | readonly Child[]

type Attributes = Readonly<Record<string, string | number | true | null | undefined | false>>

const empty = new Set(['meta', 'br', 'hr', 'img', 'rect', 'line', 'path', 'circle', 'input'])

const coordinates = new Set(['x', 'y', 'x1', 'x2', 'y1', 'y2', 'cx', 'cy'])

/** Creates an element. Escapes texts and attribute values. Omits attributes that are null or false. */
export function h(tag: string, attributes: Attributes = {}, ...children: Child[]): Markup {
  // A `tspan` keeps an `x` of 0, because a second line without `x` would continue after the first.
  const all = tag === 'text' || tag === 'tspan' ? whole(attributes, tag === 'tspan') : attributes
  const start = `<${tag}${Object.entries(all).map(attribute).join('')}`
  // Without the space, the slash would become part of an unquoted number.
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

/** Rounds to a tenth of a pixel, because more digits would only make the page larger. */
export function round(value: number): number {
  return Math.round(value * 10) / 10
}

function attribute([name, value]: [string, Attributes[string]]): string {
  if (value === null || value === undefined || value === false) return ''
  if (value === 0 && coordinates.has(name)) return ''
  if (value === true) return ` ${name}`
  // Numbers need no quotes. A chart has thousands of numbers, so this saves bytes.
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

/** A table cell: its CSS class and its content. */
type Cell = readonly [string | null, Child]

/** The columns in `later` are hidden on a phone. */
export function table(
  names: readonly string[],
  rows: readonly (readonly Cell[])[],
  later: readonly string[] = [],
): Markup {
  const heads = [...names, ...later].map((name) =>
    h('th', { scope: 'col', class: later.includes(name) && 'later' }, name),
  )
  const cells = (row: readonly Cell[]) => row.map(([kind, content]) => h('td', { class: kind }, content))
  const body = rows.map((row) => h('tr', {}, cells(row)))
  return h('table', {}, heads.length > 0 && h('thead', {}, h('tr', {}, heads)), h('tbody', {}, body))
}

/** Renders a row of a long table. Omits end tags, which HTML does not require, to save bytes. */
export function tableRow(cells: readonly Cell[]): Markup {
  const start = ([kind, content]: Cell) => `<td${attribute(['class', kind])}>${render(content)}`
  return { html: `<tr>${cells.map(start).join('')}` }
}

/** Wraps wide content in a labeled region that scrolls sideways, also by keyboard. */
export function scrolling(name: string, content: Markup): Markup {
  return h('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': name }, content)
}
