import { type Child, h, type Markup, round } from '../html.ts'
import type { Box } from './box-path.ts'

/** How large a chart is drawn: `narrow` is for a phone, and says less; one drawn `once` is for both. */
export interface Size {
  once: boolean
  width: number
  height: number
  narrow: boolean
}

/** The rectangle of the marks inside a chart, in pixels from the top left. */
export interface Plot {
  left: number
  right: number
  top: number
  bottom: number
}

/** A place on an axis and what is written there. */
export interface Tick {
  value: number
  label: string
}

/** The drawing itself; screen readers are told the sentence instead. */
export function drawing(size: Size, sentence: string, ...children: Child[]): Markup {
  const box = `0 0 ${size.width} ${size.height}`
  const name = size.once ? 'once' : size.narrow ? 'narrow' : 'wide'
  return h('svg', { class: name, viewBox: box, role: 'img', 'aria-label': sentence }, children)
}

/** Horizontal hairlines with their labels to the left. */
export function horizontalGrid(ticks: readonly Tick[], y: (value: number) => number, plot: Plot): Child {
  const across = (kept: readonly Tick[]) =>
    kept.map(({ value }) => `M${round(plot.left)} ${round(y(value))}H${round(plot.right)}`).join('')
  return [
    h('path', { class: 'grid', d: across(ticks.filter(({ value }) => value !== 0)) }),
    h('path', { class: 'axis', d: across(ticks.filter(({ value }) => value === 0)) }),
    ticks.map(({ value, label }) =>
      h('text', { class: 'tick end', x: plot.left - 8, y: y(value) + 4 }, label),
    ),
  ]
}

/** Room for the labels beside a plot: the longest one, at about 6 pixels a character. */
export function labelRoom(labels: readonly string[], perCharacter = 6.2): number {
  return Math.max(20, ...labels.map((label) => label.length * perCharacter + 14))
}

/** Room for names, which are bold. */
export function nameRoom(names: readonly string[]): number {
  return labelRoom(names, 8)
}

/** A band that is not seen, and what is, as long as the pointer is over the band: the style sheet goes by their order. */
export function hover(band: Box, ...shown: Child[]): Markup {
  return h('g', { class: 'hit' }, h('rect', { ...band }), shown)
}

/** The line above a plot that tells the figures under the pointer: `before`, the main figure in bold, `after`. */
export function readLine(x: number, before: string, strong: string, after = ''): Markup {
  return h('text', { x, y: 14 }, before, strong && h('tspan', {}, strong), after)
}
