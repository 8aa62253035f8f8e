import { clean } from './sanitize-text.ts'

/** Markup that is known to be safe; the only way to make some is `h`. */
export interface Markup {
  readonly html: string
  /** For the pointer alone: a drawing keeps it out of what it says to screen readers. */
  readonly isOverlay?: true
}

export type Child = Markup | string | number | null | undefined | false | readonly Child[]

type Attributes = Readonly<Record<string, string | number | true | null | undefined | false>>

/** Elements without content: in HTML they have no end tag, in SVG they close themselves. */
const empty = new Set(['meta', 'br', 'hr', 'img', 'rect', 'line', 'path', 'circle', 'input'])

/** Attributes of SVG whose default is 0. */
const coordinates = new Set(['x', 'y', 'x1', 'x2', 'y1', 'y2', 'cx', 'cy'])

/** An element. Text and attribute values are cleaned and escaped; an attribute that is null or false is left out. */
export function h(tag: string, attributes: Attributes = {}, ...children: Child[]): Markup {
  // Of a text no reader sees a part of a pixel; without its x a second line would go on behind the first.
  const all = tag === 'text' || tag === 'tspan' ? whole(attributes, tag === 'tspan') : attributes
  const start = `<${tag}${Object.entries(all).map(attribute).join('')}`
  // The slash would become a part of a number without quotes.
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

/** Children as HTML text. */
export function render(child: Child): string {
  if (child === null || child === undefined || child === false) return ''
  if (typeof child === 'string') return escaped(clean(child))
  if (typeof child === 'number') return String(round(child))
  return 'html' in child ? child.html : child.map(render).join('')
}

/** A tenth of a pixel is enough to draw with; more digits would only make the page larger. */
export function round(value: number): number {
  return Math.round(value * 10) / 10
}

function attribute([name, value]: [string, Attributes[string]]): string {
  if (value === null || value === undefined || value === false) return ''
  if (value === 0 && coordinates.has(name)) return ''
  if (value === true) return ` ${name}`
  // A chart has thousands of numbers.
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

/** A row of cells, each with its class: without the end tags, which HTML does not need and pages have thousands of. */
export function tableRow(kind: string | null, cells: readonly (readonly [string | null, Child])[]): Markup {
  const start = ([name, content]: (typeof cells)[number]) =>
    `<td${attribute(['class', name])}>${render(content)}`
  return { html: `<tr${attribute(['class', kind || null])}>${cells.map(start).join('')}` }
}

/** The head of a table; columns of `later` are hidden on a phone. */
export function tableHead(names: readonly string[], later: readonly string[] = []): Markup {
  const cells = [
    names.map((name) => h('th', { scope: 'col' }, name)),
    later.map((name) => h('th', { scope: 'col', class: 'later' }, name)),
  ]
  return h('thead', {}, h('tr', {}, cells))
}

/** A labelled region that scrolls sideways where it is wider than the screen, also by keyboard. */
export function scrolling(name: string, content: Markup): Markup {
  return h('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': name }, content)
}
