import { historyTitle, trendTitles } from '../page/sentences/explore-sentences.ts'
import { chartHtml } from '../render/chart-html.ts'
import { columns } from '../render/charts/columns.ts'
import { line } from '../render/charts/line.ts'
import type { FormatContext } from '../render/format.ts'
import { type Child, h, type Markup } from '../render/html.ts'
import type { Frame, Value } from '../render/result.ts'
import { ALONE } from '../render/table-html.ts'
import type { Cell } from '../warehouse/read/cell.ts'
import type { Rows } from '../warehouse/read/rows.ts'
import type { Unit } from './chart-statements.ts'
import { addressOf, type Filter } from './filter.ts'
import { bucketPeriod } from './period-range.ts'

/** A result row of `figuresSql`. */
export type Figures = Readonly<Record<string, Cell>>

export interface Charted {
  readonly figures: Figures
  readonly unit: Unit
  readonly history: Rows
  /** Null if the filter selects a person. */
  readonly trend: Rows | null
}

/** Each column links to the incidents in its day, week or month. */
export function historyHtml(
  { history, unit }: Charted,
  filter: Filter,
  frame: Frame,
  context: FormatContext,
): Markup {
  const links = new Map(
    history.rows.map((row) => [
      row as readonly Value[],
      addressOf({ ...filter, period: bucketPeriod(unit, String(row[0])), page: 1 }),
    ]),
  )
  const block = {
    ...blockOf(historyTitle(unit), 'history', history),
    ...{ width: 'full' as const, links },
    spec: columns.spec.parse({ type: 'columns', x: unit, y: 'incidents', color: 'severity' }),
  }
  return chartHtml(block, frame, context, ALONE)
}

export function trendsHtml({ figures, trend, unit }: Charted, frame: Frame, context: FormatContext): Child {
  if (trend === null) return null
  const chart = (title: string, more: Record<string, unknown>) =>
    chartHtml(
      { ...blockOf(title, 'trend', trend), spec: line.spec.parse({ type: 'line', x: unit, ...more }) },
      frame,
      context,
      ALONE,
    )
  const [shares, times] = trendTitles(figures, context)
  const labels = ['acknowledge', 'resolve']
  return h(
    'div',
    { class: 'pair' },
    chart(shares, { y: ['acknowledged', 'resolved'], labels, format: 'percent' }),
    chart(times, { y: ['tta', 'ttr'], labels, format: 'duration', scale: 'log' }),
  )
}

const blockOf = (title: string, name: string, rows: Rows) => ({
  ...{ kind: 'chart' as const, width: 'half' as const, rules: [], subtitle: [] },
  title: [{ kind: 'text' as const, text: title }],
  data: { name, sql: '', ...rows },
})
