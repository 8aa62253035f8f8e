import { cellsOf } from '../cells.ts'
import type { ChartBlock } from '../chart.ts'
import { figureText } from '../format.ts'
import { type Child, h, type Markup } from '../html.ts'
import type { Frame } from '../result/report-frame.ts'
import type { ChartSpec } from '../spec.ts'
import { bars, barsHeight } from './bars.ts'
import { columns } from './columns.ts'
import { control, usualLimits } from './control.ts'
import { heatmap, heatmapHeight } from './heatmap.ts'
import { histogram } from './histogram.ts'
import { line } from './line.ts'
import { percentiles, percentilesHeight } from './percentiles.ts'
import type { Size } from './plot.ts'
import { multiplesHeight, smallMultiples } from './small-multiples.ts'
import { survival } from './survival.ts'
import { bucketsOf } from './time-axis.ts'

/**
 * The drawing of a chart, once wide and once for a phone; the style sheet shows the one that fits. A chart of half the
 * width is drawn once, and on a compact page every chart is one, without readouts.
 */
export function draw(block: ChartBlock, frame: Frame, sentence: string, isCompact = false): Markup[] {
  const once = block.width === 'half' || isCompact
  const isUpright = isCompact && block.spec.type === 'heatmap'
  return (once ? [isUpright] : [false, true]).map((narrow) => {
    const width = narrow ? 346 : once ? 400 : 920
    const size = { width, height: heightOf(block, narrow), narrow, once, bare: isCompact }
    return drawing(size, sentence, marksOf(block, frame, size))
  })
}

/**
 * Screen readers get the sentence instead of the marks. Links are for the pointer, and stand beside what is the image: the
 * keyboard has the same ones at the end of the page.
 */
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

function marksOf(block: ChartBlock, frame: Frame, size: Size): Child {
  const { spec } = block
  switch (spec.type) {
    case 'line':
      return line({ ...block, spec }, frame, size)
    case 'control':
      return control({ ...block, spec }, frame, size)
    case 'columns':
      return (spec.facet === null ? columns : smallMultiples)({ ...block, spec }, frame, size)
    case 'bars':
      return bars({ ...block, spec }, frame, size)
    case 'percentiles':
      return percentiles({ ...block, spec }, frame, size)
    case 'histogram':
      return histogram({ ...block, spec }, frame, size)
    case 'heatmap':
      return heatmap({ ...block, spec }, size)
    case 'survival':
      return survival({ ...block, spec }, frame, size)
  }
}

function heightOf({ spec, data, width }: ChartBlock, narrow: boolean): number {
  if (spec.type === 'bars') return barsHeight(data)
  if (spec.type === 'percentiles') return percentilesHeight(data)
  if (spec.type === 'heatmap') return heatmapHeight(narrow)
  if (spec.type === 'columns' && spec.facet !== null) return multiplesHeight(data, spec.facet, narrow)
  return width === 'half' || narrow ? 254 : 290
}

const kinds: Record<ChartSpec['type'], string> = {
  line: 'Line chart',
  control: 'Control chart',
  columns: 'Column chart',
  bars: 'Bar chart',
  percentiles: 'Percentiles',
  histogram: 'Histogram',
  heatmap: 'Heat map by weekday and hour',
  survival: 'Survival curve',
}

/** A chart in one sentence, for screen readers: between what its values lie, and the last whole one of the period. */
export function describe({ data, spec, usual }: ChartBlock, title: string, frame: Frame): string {
  const start = `${kinds[spec.type]}: ${title}.`
  if (data.rows.length === 0) return `${start} No data.`
  const cells = cellsOf(data)
  const show = (value: number, as = spec.format) => figureText(as, frame)(value)
  const between = (
    name: string,
    values: readonly (number | null)[],
    last: number | null | undefined,
    as = spec.format,
  ) => {
    const known = values.filter((value) => value !== null)
    const words = name.replaceAll('_', ' ')
    if (known.length === 0) return `${words} without values`
    const ends = `${words} from ${show(Math.min(...known), as)} to ${show(Math.max(...known), as)}`
    return last == null ? ends : `${ends}, last ${show(last, as)}`
  }
  const numbers = (column: string) => data.rows.map((row) => cells.number(row, column))
  /** The sum of each bucket, and that of the last whole one. */
  const overTime = (x: string, column: string) => {
    const sums = new Map<string, number | null>()
    for (const row of data.rows) {
      const [key, value] = [cells.text(row, x), cells.number(row, column)]
      sums.set(key, value === null ? (sums.get(key) ?? null) : (sums.get(key) ?? 0) + value)
    }
    const buckets = bucketsOf(data, x, frame)
    const last = buckets?.findLast(({ key, partial, after }) => !partial && !after && sums.get(key) != null)
    return between(
      column,
      [...sums.values()],
      buckets ? last && sums.get(last.key) : [...sums.values()].at(-1),
    )
  }
  if (spec.type === 'line')
    return `${start} ${data.rows.length} points; ${spec.y.map((column) => overTime(spec.x, column)).join('; ')}.`
  if (spec.type === 'control') {
    const limits = usual && usualLimits(usual, spec.format)
    const usually = limits ? `; usual ${show(limits.low)} to ${show(limits.high)}, ${usual.note}` : ''
    return `${start} ${data.rows.length} points; ${overTime(spec.x, spec.y)}${usually}.`
  }
  if (spec.type === 'columns') {
    if (spec.facet !== null) return `${start} ${between(spec.y, numbers(spec.y), null)} per ${spec.x}.`
    // Shares add up to all.
    return spec.format === 'percent' && spec.color !== null
      ? `${start} ${between(spec.y, numbers(spec.y), null)}.`
      : `${start} ${overTime(spec.x, spec.y)}.`
  }
  if (spec.type === 'survival') {
    const times = numbers(spec.x).filter((value) => value !== null)
    return `${start} ${between(spec.y, numbers(spec.y), null, 'percent')}, after ${show(Math.min(...times))} to ${show(Math.max(...times))}.`
  }
  if (spec.type === 'heatmap')
    return `${start} ${between(spec.color, numbers(spec.color), null)} in an hour of the week.`
  if (spec.type === 'histogram') {
    const total = data.rows.reduce((sum, row) => sum + (cells.number(row, spec.y) ?? 0), 0)
    return `${start} ${data.rows.length} classes, ${show(total, 'number')} in total.`
  }
  const middle = spec.type === 'percentiles' ? spec.x[2] : spec.x
  const rows = data.rows.map((row) => {
    const value = cells.number(row, middle)
    return `${cells.text(row, spec.y)} ${value === null ? 'none' : show(value)}`
  })
  return `${start} ${rows.join(', ')}.`
}
