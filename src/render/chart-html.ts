import { cellsOf, cellText } from './cells.ts'
import { dataOf } from './chart-data.ts'
import { describe, draw } from './chart-drawing.ts'
import { chartOf } from './charts/index.ts'
import { shorten } from './clean.ts'
import { fillOf, inOrder } from './drawing/category.ts'
import type { FormatContext } from './format.ts'
import { h, type Markup, scrolling, tableRow } from './html.ts'
import type { Frame } from './result/report-frame.ts'
import type { ChartBlock } from './result.ts'
import type { TableColumn } from './spec.ts'
import { columnHead, moreHtml, type PageOptions } from './table-html.ts'
import { inlineHtml, inlineText } from './text.ts'

/** A chart with its title, legend, drawing and the data behind it. */
export function chartHtml(
  block: ChartBlock,
  frame: Frame,
  context: FormatContext,
  { csv, isCompact }: PageOptions,
): Markup {
  return h(
    'figure',
    { class: 'chart', id: block.section ?? null },
    h('h3', {}, inlineHtml(block.title)),
    block.subtitle.length > 0 && h('p', { class: 'sub' }, inlineHtml(block.subtitle)),
    legend(block),
    block.data.rows.length === 0
      ? h('p', { class: 'more' }, 'Nothing to draw in this period.')
      : draw(block, frame, describe(block, inlineText(block.title), frame), isCompact),
    dataHtml(block, context, csv),
  )
}

/** Rows of data shown in the page; the CSV file has all. */
const most = 200

/** The data under a chart, for those who cannot see it and those who want the figure. */
function dataHtml(block: ChartBlock, context: FormatContext, csv: string | null): Markup {
  const { data, columns } = dataOf(block)
  const cells = cellsOf(data)
  const cell = (row: (typeof data.rows)[number], column: TableColumn) =>
    shorten(cellText(column, row, cells, context), 60)
  // Most cells are figures: only texts carry a class.
  const kind = ({ format: as }: TableColumn) => (as === 'text' ? 'text' : null)
  return h(
    'details',
    {},
    h('summary', {}, 'Data'),
    scrolling(
      'Data',
      h(
        'table',
        { class: 'data' },
        columnHead(columns, kind),
        h(
          'tbody',
          {},
          data.rows.slice(0, most).map((row) =>
            tableRow(
              null,
              columns.map((column) => [kind(column), cell(row, column)] as const),
            ),
          ),
        ),
      ),
    ),
    moreHtml(data, Math.min(most, data.rows.length), csv),
  )
}

/** Names the colours of stacked and grouped columns; every other chart is labelled where it is drawn. */
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
  return h(
    'ul',
    { class: 'legend' },
    names.map((name, index) => h('li', {}, swatch(name, index), shorten(name, 40))),
  )
}
