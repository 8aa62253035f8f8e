import { dataOf } from './data-columns.ts'
import { type FormatContext, format, plain } from './format.ts'
import { h, type Markup } from './html.ts'
import type { ChartBlock, TableColumn } from './result.ts'
import { scrolling } from './scrolling.ts'
import { shorten } from './shorten.ts'

/** The most rows that stand in the page; the CSV file has all. */
const most = 200

/** The data under a chart, for those who cannot see it and those who want the figure. */
export function dataHtml(block: ChartBlock, context: FormatContext): Markup {
  const { data, columns } = dataOf(block)
  const index = new Map(data.columns.map(({ name }, position) => [name, position]))
  const cell = (row: (typeof data.rows)[number], column: TableColumn) =>
    shorten(plain(format(row[index.get(column.column) ?? -1] ?? null, column.format, context)), 60)
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
        h(
          'thead',
          {},
          h(
            'tr',
            {},
            columns.map((column) => h('th', { class: kind(column), scope: 'col' }, column.label)),
          ),
        ),
        h(
          'tbody',
          {},
          data.rows.slice(0, most).map((row) =>
            h(
              'tr',
              {},
              columns.map((column) => h('td', { class: kind(column) }, cell(row, column))),
            ),
          ),
        ),
      ),
    ),
    data.rows.length > most &&
      h(
        'p',
        { class: 'more' },
        `The first ${most} of ${data.rows.length}; all of them are in ${data.name}.csv.`,
      ),
  )
}
