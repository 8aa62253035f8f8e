import type { ChartSpec } from '../chart-spec.ts'
import { format, plain } from '../format.ts'
import type { ChartBlock, Frame } from '../result.ts'
import { columnsOf } from './read.ts'
import { usualLimits } from './usual-limits.ts'

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

/** What a chart shows, in one sentence, for those who cannot see it: its range, and where it ends. */
export function describe({ data, spec, usual }: ChartBlock, title: string, frame: Frame): string {
  const start = `${kinds[spec.type]}: ${title}.`
  if (data.rows.length === 0) return `${start} No data.`
  const cells = columnsOf(data)
  const show = (value: number, as = spec.format) =>
    plain(format(value, as, { timezone: frame.timezone, year: '' }))
  const range = (column: string) => {
    const values = data.rows.map((row) => cells.number(row, column)).filter((value) => value !== null)
    if (values.length === 0) return `${column.replaceAll('_', ' ')} without values`
    return `${column.replaceAll('_', ' ')} from ${show(Math.min(...values))} to ${show(Math.max(...values))}, last ${show(values.at(-1)!)}`
  }
  if (spec.type === 'line') return `${start} ${data.rows.length} points; ${spec.y.map(range).join('; ')}.`
  if (spec.type === 'control') {
    const limits = usual && usualLimits(usual, spec.format)
    const usually = limits ? `; usual ${show(limits.low)} to ${show(limits.high)}, ${usual.note}` : ''
    return `${start} ${data.rows.length} points; ${range(spec.y)}${usually}.`
  }
  if (spec.type === 'columns' || spec.type === 'survival') return `${start} ${range(spec.y)}.`
  if (spec.type === 'heatmap') return `${start} ${range(spec.color)}.`
  if (spec.type === 'histogram') {
    const total = data.rows.reduce((sum, row) => sum + (cells.number(row, spec.y) ?? 0), 0)
    return `${start} ${data.rows.length} classes, ${show(total, 'number')} in all.`
  }
  const middle = spec.type === 'percentiles' ? spec.x[2] : spec.x
  const rows = data.rows.map((row) => {
    const value = cells.number(row, middle)
    return `${cells.text(row, spec.y)} ${value === null ? 'none' : show(value)}`
  })
  return `${start} ${rows.join(', ')}.`
}
