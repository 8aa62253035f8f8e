import type { Markup } from '../html.ts'
import type { ChartBlock, Frame } from '../result.ts'
import { bars, barsHeight } from './bars.ts'
import { columns } from './columns.ts'
import { control } from './control.ts'
import { heatmap, heatmapHeight } from './heatmap.ts'
import { histogram } from './histogram.ts'
import { line } from './line.ts'
import { percentiles, percentilesHeight } from './percentiles.ts'
import type { Size } from './plot.ts'
import { multiplesHeight, smallMultiples } from './small-multiples.ts'
import { survival } from './survival.ts'

/**
 * The drawing of a chart, once wide and once for a phone; the style sheet shows the one that fits. One of half the width
 * is about as wide as a phone and drawn once.
 */
export function draw(block: ChartBlock, frame: Frame, sentence: string): Markup[] {
  if (block.width === 'half') {
    const size = { width: 400, height: heightOf(block, false), narrow: false, once: true }
    return [one(block, frame, size, sentence)]
  }
  return [false, true].map((narrow) => {
    const size = { width: narrow ? 346 : 920, height: heightOf(block, narrow), narrow, once: false }
    return one(block, frame, size, sentence)
  })
}

function one(block: ChartBlock, frame: Frame, size: Size, sentence: string): Markup {
  const { spec } = block
  switch (spec.type) {
    case 'line':
      return line({ ...block, spec }, frame, size, sentence)
    case 'control':
      return control({ ...block, spec }, frame, size, sentence)
    case 'columns':
      return (spec.facet === null ? columns : smallMultiples)({ ...block, spec }, frame, size, sentence)
    case 'bars':
      return bars({ ...block, spec }, frame, size, sentence)
    case 'percentiles':
      return percentiles({ ...block, spec }, frame, size, sentence)
    case 'histogram':
      return histogram({ ...block, spec }, frame, size, sentence)
    case 'heatmap':
      return heatmap({ ...block, spec }, frame, size, sentence)
    case 'survival':
      return survival({ ...block, spec }, frame, size, sentence)
  }
}

function heightOf({ spec, data, width }: ChartBlock, narrow: boolean): number {
  if (spec.type === 'bars') return barsHeight(data)
  if (spec.type === 'percentiles') return percentilesHeight(data)
  if (spec.type === 'heatmap') return heatmapHeight(narrow)
  if (spec.type === 'columns' && spec.facet !== null) return multiplesHeight(data, spec.facet, narrow)
  return width === 'half' || narrow ? 240 : 290
}
