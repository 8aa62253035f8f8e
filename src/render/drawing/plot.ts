import { type Child, h, type Markup, round } from '../html.ts'
import { shorten } from '../sanitize-text.ts'

/** Size and version of a drawing. Readouts are the figures that appear when the pointer is over a mark. */
export interface Size {
  width: number
  height: number
  /** Whether this is the version for phones. */
  narrow: boolean
  /** Whether this is the only version, which is used for all screen widths. */
  once: boolean
  /** Whether readouts are omitted. */
  bare: boolean
}

/** Rectangle in which the marks are drawn, in pixels from the top left of the chart. */
export interface Plot {
  left: number
  right: number
  top: number
  bottom: number
}

/** Returns the height needed above a plot for readouts and names. In narrow drawings, readouts need two lines. */
export function headRoom({ narrow, once }: Size): number {
  return narrow || once ? 54 : 40
}

export interface Tick {
  value: number
  label: string
}

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

/** Estimates the width of a text in pixels. The estimate is rather too large, because the reader’s font is unknown. */
export function textWidth(text: string, isBold = false): number {
  const perCharacter = isBold ? 7.4 : 6.6
  return [...text].reduce((sum, character) => sum + (WIDE.test(character) ? 12 : perCharacter), 0)
}

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\p{Extended_Pictographic}]/u

/** Width needed for labels next to a plot, in pixels. A percent sign is almost as wide as two digits. */
export function labelRoom(labels: readonly string[]): number {
  return Math.max(20, ...labels.map((label) => label.replace('%', '00').length * 6.2 + 14))
}

export function rightLabelWidth(names: readonly string[], figures: readonly string[], least: number): number {
  const widths = [...names.map((name) => textWidth(name, true)), ...figures.map((text) => textWidth(text))]
  return Math.max(least, ...widths.map((width) => width + 10))
}

/** Estimates the width of a bold name generously, because the start of a name that is too wide would be cut off. */
function nameWidth(name: string): number {
  const width = (one: string) => (WIDE.test(one) ? 13 : /[MW@%]/.test(one) ? 12 : CAPITAL.test(one) ? 10 : 8)
  return [...name].reduce((sum, one) => sum + width(one), 0)
}

const CAPITAL = /\p{Lu}/u

export function nameRoom(names: readonly string[]): number {
  return Math.max(20, ...names.map((name) => nameWidth(name) + 14))
}

/** Shortens a name until it is at most as wide as this number of lowercase letters. */
export function cutName(name: string, letters: number): string {
  const characters = [...shorten(name, letters)]
  let most = characters.length
  while (most > 1 && nameWidth(characters.slice(0, most).join('')) > 8 * letters) most -= 1
  return shorten(name, most)
}

/** Minimum size of a touch target in pixels (WCAG 2.2, 2.5.8). */
const FINGER = 24

/** Shows a readout on hover. The rectangle must come first, because `charts.css` makes the first child transparent. */
export function hover(size: Size, band: Box, href: string | null, ...shown: Child[]): Markup | false {
  if (href === null)
    return !size.bare && h('g', { class: 'hit', tabindex: -1 }, h('rect', { ...band }), shown)
  // Phones have no hover, so only the link remains. If the band is too small to tap, the data table has the link.
  if (size.narrow && Math.min(band.width, band.height) < FINGER) return false
  const isBare = size.bare || size.narrow
  const link = h('a', { class: 'hit', href, tabindex: -1 }, h('rect', { ...band }), !isBare && shown)
  return { ...link, isOverlay: true }
}

/** Renders a readout above the plot. Lines break only between the texts of `after`. */
export function readLine(
  { x, room }: { x: number; room: number },
  before: string,
  strong: string,
  after: readonly string[] = [],
): Markup {
  const [first = '', ...more] = linesOf(textWidth(before) + textWidth(strong, true), after, room)
  return h(
    'text',
    { x, y: 14 },
    before,
    strong && h('tspan', { class: 'main' }, strong),
    first,
    // `h` omits a numeric 0, so `x` is a string.
    more.map((text) => h('tspan', { x: String(round(x)), dy: 14 }, text.replace(/^ · /, ''))),
  )
}

/** Wraps the parts into lines of at most `room` pixels. The first line already contains `taken` pixels of text. */
function linesOf(taken: number, parts: readonly string[], room: number): string[] {
  const lines = ['']
  let used = taken
  for (const part of parts) {
    const isFull = used + textWidth(part) > room
    if (isFull) lines.push('')
    lines[lines.length - 1] += part
    used = (isFull ? 0 : used) + textWidth(part)
  }
  return lines
}

export interface Box {
  x: number
  width: number
  y: number
  height: number
}

/** Draws several rectangles as one path, which takes a third of the bytes of separate elements. */
export function boxPath(boxes: readonly Box[]): string {
  return boxes
    .map(({ x, y, width, height }) => {
      const [across, down] = [round(width), round(height)]
      return `M${round(x)} ${round(y)}h${across}v${down}h${-across}z`
    })
    .join('')
}

/** Draws a dashed line per target, with the target’s name and figure above the left end of the line. */
export function targetLines(
  rules: readonly { label: string; value: number }[],
  y: (value: number) => number,
  plot: Plot,
  show: (value: number) => string,
): Child {
  return rules.map(({ label, value }) => [
    h('line', { class: 'target', x1: plot.left, x2: plot.right, y1: y(value), y2: y(value) }),
    h('text', { class: 'note strong', x: plot.left + 6, y: y(value) - 5 }, `${label} ${show(value)}`),
  ])
}
