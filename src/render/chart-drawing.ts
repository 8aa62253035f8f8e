import { chartOf } from './charts/index.ts'
import { eventWords } from './drawing/event-lines.ts'
import type { Size } from './drawing/plot.ts'
import { type Child, h, type Markup } from './html.ts'
import type { ChartBlock, Frame } from './result.ts'

/** Draws a chart for wide screens and for phones. Half-width and compact charts need only one drawing. */
export function draw(block: ChartBlock, frame: Frame, sentence: string, isCompact = false): Markup[] {
  const chart = chartOf(block.spec)
  const once = block.width === 'half' || isCompact
  const isNarrow = isCompact && chart.isNarrowWhenCompact === true
  return (once ? [isNarrow] : [false, true]).map((narrow) => {
    const width = narrow ? 346 : once ? 400 : 920
    const usual = block.width === 'half' || narrow ? 254 : 290
    const height = chart.height?.(block, narrow) ?? usual
    const size = { width, height, narrow, once, bare: isCompact }
    return drawing(size, sentence, chart.draw(block, frame, size))
  })
}

/** Hides links from screen readers and the keyboard, because the data table contains the same links. */
function drawing(size: Size, sentence: string, marks: Child): Markup {
  const view = {
    class: size.once ? 'once' : size.narrow ? 'narrow' : 'wide',
    viewBox: `0 0 ${size.width} ${size.height}`,
  }
  const image = { role: 'img', 'aria-label': sentence }
  const all = ([marks] as unknown[]).flat(Number.POSITIVE_INFINITY) as Child[]
  const isLink = (child: Child) => typeof child === 'object' && child !== null && 'isOverlay' in child
  const links = all.filter(isLink)
  if (links.length === 0) return h('svg', { ...view, ...image }, all)
  const rest = all.filter((child) => !isLink(child))
  return h('svg', view, h('g', image, rest), h('g', { 'aria-hidden': 'true' }, links))
}

/** Describes a chart in one sentence for screen readers. */
export function describe(block: ChartBlock, title: string, frame: Frame): string {
  const chart = chartOf(block.spec)
  const { x = null } = block.spec as { x?: unknown }
  const happened = typeof x === 'string' ? eventWords(block.data, x, frame) : ''
  return `${chart.label}: ${title}. ${chart.describe(block, frame)}${happened}.`
}
