import { type Child, h, type Markup, round } from '../html.ts'
import { shorten } from '../sanitize-text.ts'

/** The size of a drawing: `narrow` is for a phone and shows less; `once` serves both; `bare` has no readouts. */
export interface Size {
  once: boolean
  bare: boolean
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

/** Room above a plot: for a readout, of two lines where the drawing is not wide, and for the names below it. */
export function headRoom({ narrow, once }: Size): number {
  return narrow || once ? 54 : 40
}

/** A place on an axis and what is written there. */
export interface Tick {
  value: number
  label: string
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

/** About how wide a text is drawn, pixels: rather too much, since the reader's font is not known. */
export function textWidth(text: string, isBold = false): number {
  const perCharacter = isBold ? 7.4 : 6.6
  return [...text].reduce((sum, character) => sum + (WIDE.test(character) ? 12 : perCharacter), 0)
}

/** Characters as wide as they are high. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\p{Extended_Pictographic}]/u

/** Room for the labels beside a plot: the longest one, at about 6 pixels a character. */
export function labelRoom(labels: readonly string[], perCharacter = 6.2): number {
  return Math.max(20, ...labels.map((label) => label.length * perCharacter + 14))
}

/** Room for names, bold, with figures under them, beside the right end of a plot; never less than `least`. */
export function rightLabelWidth(names: readonly string[], figures: readonly string[], least: number): number {
  const widths = [...names.map((name) => textWidth(name, true)), ...figures.map((text) => textWidth(text))]
  return Math.max(least, ...widths.map((width) => width + 10))
}

/** Of a name, which is bold: capitals are wider than other letters, and what does not fit is cut at its beginning. */
function nameWidth(name: string): number {
  return [...name].reduce(
    (sum, one) => sum + (WIDE.test(one) ? 13 : /[MW@%]/.test(one) ? 12 : CAPITAL.test(one) ? 10 : 8),
    0,
  )
}

const CAPITAL = /\p{Lu}/u

/** Room for names, which are bold. */
export function nameRoom(names: readonly string[]): number {
  return Math.max(20, ...names.map((name) => nameWidth(name) + 14))
}

/** A name that fits beside a plot: so many small letters of it, fewer capitals. */
export function cutName(name: string, letters: number): string {
  const characters = [...shorten(name, letters)]
  let most = characters.length
  while (most > 1 && nameWidth(characters.slice(0, most).join('')) > 8 * letters) most -= 1
  return shorten(name, most)
}

/** The least that can be touched, pixels. Source: WCAG 2.2, 2.5.8. */
const FINGER = 24

/**
 * An invisible band, and what is shown while the pointer is over it. With an address it leads there. The style sheet depends
 * on this order.
 */
export function hover(size: Size, band: Box, href: string | null, ...shown: Child[]): Markup | false {
  if (href === null)
    return !size.bare && h('g', { class: 'hit', tabindex: -1 }, h('rect', { ...band }), shown)
  // A phone points at nothing: there it leads to the list, which says how many. Where a finger does not fit, the data does.
  if (size.narrow && Math.min(band.width, band.height) < FINGER) return false
  const isBare = size.bare || size.narrow
  const link = h('a', { class: 'hit', href, tabindex: -1 }, h('rect', { ...band }), !isBare && shown)
  return { ...link, isOverlay: true }
}

/** The figures under the pointer, above a plot: `before`, the main figure in bold, and `after`, on as many lines as it takes. */
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
    // As text: an `x` of 0 has to stand there.
    more.map((text) => h('tspan', { x: String(round(x)), dy: 14 }, text.replace(/^ · /, ''))),
  )
}

/** The parts on lines, of which the first begins after `taken` pixels. */
function linesOf(taken: number, parts: readonly string[], room: number): string[] {
  const lines = ['']
  let used = taken
  for (const part of parts) {
    const width = textWidth(part)
    if (used + width > room) {
      lines.push(part)
      used = width
    } else {
      lines[lines.length - 1] += part
      used += width
    }
  }
  return lines
}

export interface Box {
  x: number
  width: number
  y: number
  height: number
}

/** Rectangles of one colour as one path, a third of the bytes of separate elements. */
export function boxPath(boxes: readonly Box[]): string {
  return boxes
    .map(({ x, y, width, height }) => {
      const [across, down] = [round(width), round(height)]
      return `M${round(x)} ${round(y)}h${across}v${down}h${-across}z`
    })
    .join('')
}

/** A dashed line across the plot for each target, with its name and figure above it at the left. */
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
