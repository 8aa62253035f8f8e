import { type Child, h, type Markup } from '../html.ts'
import type { Box } from './box-path.ts'

/** How large a chart is drawn: `narrow` is for a phone, and says less. */
export interface Size {
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
  const name = size.narrow ? 'narrow' : 'wide'
  return h('svg', { class: name, viewBox: box, role: 'img', 'aria-label': sentence }, children)
}

/** Horizontal hairlines with their labels to the left. */
export function horizontalGrid(ticks: readonly Tick[], y: (value: number) => number, plot: Plot): Child {
  return ticks.map(({ value, label }) => [
    h('line', {
      class: value === 0 ? 'axis' : 'grid',
      x1: plot.left,
      x2: plot.right,
      y1: y(value),
      y2: y(value),
    }),
    h('text', { class: 'tick end', x: plot.left - 8, y: y(value) + 4 }, label),
  ])
}

/** Room for the labels left of a plot: the longest one, at about 6 pixels a character. */
export function labelRoom(labels: readonly string[]): number {
  return Math.max(20, ...labels.map((label) => label.length * 6.2 + 14))
}

/** A band that is not seen, and what is, as long as the pointer is over the band: the style sheet goes by their order. */
export function hover(band: Box, ...shown: Child[]): Markup {
  return h('g', { class: 'hit' }, h('rect', { ...band }), shown)
}

/** The line above a plot that tells the figures under the pointer: `before`, the main figure in bold, `after`. */
export function readLine(x: number, before: string, strong: string, after = ''): Markup {
  const figure = strong && h('tspan', { class: 'strong' }, strong)
  return h('text', { class: 'read', x, y: 14 }, before, figure, after)
}
