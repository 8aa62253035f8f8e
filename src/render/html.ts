import { clean } from './clean.ts'

/** Markup that is known to be safe; the only way to make some is `h`. */
export interface Markup {
  readonly html: string
}

export type Child = Markup | string | number | null | undefined | false | readonly Child[]

type Attributes = Readonly<Record<string, string | number | true | null | undefined | false>>

/** Elements without content: in HTML they have no end tag, in SVG they close themselves. */
const empty = new Set(['meta', 'br', 'hr', 'img', 'rect', 'line', 'path', 'circle'])

/** Attributes of SVG whose default is 0. */
const coordinates = new Set(['x', 'y', 'x1', 'x2', 'y1', 'y2', 'cx', 'cy'])

/** An element. Text and attribute values are cleaned and escaped; an attribute that is null or false is left out. */
export function h(tag: string, attributes: Attributes = {}, ...children: Child[]): Markup {
  const start = `<${tag}${Object.entries(attributes).map(attribute).join('')}`
  return { html: empty.has(tag) ? `${start}/>` : `${start}>${render(children)}</${tag}>` }
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
  return ` ${name}="${typeof value === 'number' ? round(value) : escaped(clean(value))}"`
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

/** A labelled region that scrolls sideways where it is wider than the screen, also by keyboard. */
export function scrolling(name: string, content: Markup): Markup {
  return h('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': name }, content)
}
