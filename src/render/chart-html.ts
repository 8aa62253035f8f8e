import { ALL_MISSING } from '../page/sentences/chart-sentences.ts'
import { NO_DATA } from '../page/sentences/summary-sentences.ts'
import { cellsOf, cellText } from './cells.ts'
import { columnsRead, dataLinks, dataOf } from './chart-data.ts'
import { describe, draw } from './chart-drawing.ts'
import { chartOf } from './charts/index.ts'
import { fillOf, inOrder } from './drawing/category.ts'
import type { FormatContext } from './format.ts'
import { h, type Markup, scrolling, tableRow } from './html.ts'
import type { ChartBlock, Frame } from './result.ts'
import { shorten } from './sanitize-text.ts'
import type { TableColumn } from './spec.ts'
import { columnHead, moreHtml, type PageOptions } from './table-html.ts'
import { inlineHtml, inlineText } from './text.ts'

export function chartHtml(
  block: ChartBlock,
  frame: Frame,
  context: FormatContext,
  { csv, isCompact }: PageOptions,
): Markup {
  const why = nothingIn(block)
  return h(
    'figure',
    { class: 'chart', id: block.section ?? null },
    h('h3', {}, inlineHtml(block.title)),
    why === null && legend(block),
    why !== null
      ? h('p', { class: 'more' }, why)
      : draw(block, frame, describe(block, inlineText(block.title), frame), isCompact),
    block.subtitle.length > 0 && h('p', { class: 'sub' }, inlineHtml(block.subtitle)),
    dataHtml(block, context, csv),
  )
}

function nothingIn({ spec, data }: ChartBlock): string | null {
  if (data.rows.length === 0) return NO_DATA
  const cells = cellsOf(data)
  const columns = columnsRead(spec).measured
  const isKnown = data.rows.some((row) => columns.some((column) => cells.number(row, column) !== null))
  return isKnown ? null : ALL_MISSING
}

const most = 200

function dataHtml(block: ChartBlock, context: FormatContext, csv: string | null): Markup {
  const shown = dataOf(block)
  const { data, columns } = shown
  const linkOf = dataLinks(block, shown)
  const cells = cellsOf(data)
  const cell = (row: (typeof data.rows)[number], column: TableColumn, index: number) => {
    const text = shorten(cellText(column, row, cells, context), 60)
    const href = linkOf(row, index)
    return href === null ? text : h('a', { href }, text)
  }
  // Only text cells get a class. Most cells are figures, so this saves bytes.
  const kind = ({ format: as }: TableColumn) => (as === 'text' ? 'text' : null)
  const rows = data.rows.slice(0, most).map((row) => {
    const cells = columns.map((column, index) => [kind(column), cell(row, column, index)] as const)
    return tableRow(cells)
  })
  return h(
    'details',
    {},
    h('summary', {}, 'Data'),
    scrolling('Data', h('table', { class: 'data' }, columnHead(columns, kind), h('tbody', {}, rows))),
    moreHtml(data, Math.min(most, data.rows.length), csv),
  )
}

function legend({ spec, data }: ChartBlock): Markup | null {
  const color = chartOf(spec).colors?.(spec) ?? null
  if (color === null) return null
  const cells = cellsOf(data)
  const names = inOrder(data.rows.map((row) => cells.text(row, color)))
  const swatch = (name: string, index: number) =>
    h(
      'svg',
      { class: 'key', viewBox: '0 0 10 10', 'aria-hidden': 'true' },
      h('rect', { ...fillOf(name, index), width: 10, height: 10, rx: 2 }),
    )
  const items = names.map((name, index) => h('li', {}, swatch(name, index), shorten(name, 40)))
  return h('ul', { class: 'legend' }, items)
}
