import { basisOf, cellsOf, cellText } from './cells.ts'
import { countText, type FormatContext, isNumeric, textOf } from './format.ts'
import { type Child, h, type Markup } from './html.ts'
import type { QueryResult } from './result/query-result.ts'
import type { TableColumn } from './spec.ts'
import type { SummaryKpi } from './summary.ts'
import { safeLink, verdictText } from './text.ts'

export function kpiTable(kpis: readonly SummaryKpi[]): Markup {
  const head = ['', 'This period', 'Previous period', 'Change', '95% CI', 'n', 'Objective']
  const rows = kpis.map(({ label, value, change, interval, n, target }): Child[] => [
    label,
    h('b', {}, value),
    change?.previous ?? '–',
    change === null
      ? '–'
      : [
          verdictText(change),
          [change.note, change.mix].map(
            (text) => text && [h('br', {}), h('small', { style: 'color:#5c6370' }, text)],
          ),
        ],
    interval === null ? '–' : interval.join(' – '),
    n === null ? '–' : countText(n),
    target === null ? '–' : `${target.text} ${target.doubt ? `(${target.doubt})` : target.met ? '✓' : '✗'}`,
  ])
  // Omit columns that no card fills.
  const said = head.map((_, column) => column < 2 || rows.some((row) => row[column] !== '–'))
  const kept = <Cell>(cells: readonly Cell[]) => cells.filter((_, column) => said[column])
  return table(kept(head), rows.map(kept), [])
}

/** Renders the first rows of a result. */
export function dataTable(
  data: QueryResult,
  columns: readonly TableColumn[],
  most: number,
  context: FormatContext,
): Child {
  const cells = cellsOf(data)
  const { value } = cells
  const rows = data.rows.slice(0, most).map((row) =>
    columns.map((column): Child => {
      const shown = cellText(column, row, cells, context)
      const { few, text } = basisOf(column, row, cells, context)
      if (text)
        return [few ? `${shown}\u00a0!` : shown, h('br', {}), h('small', { style: 'color:#5c6370' }, text)]
      return column.link === null ? shown : safeLink(textOf(value(row, column.link), context), shown)
    }),
  )
  const numeric = columns.map((column) => isNumeric(column.format))
  return [
    table(
      columns.map(({ label }) => label),
      rows,
      numeric,
    ),
    data.rows.length > most &&
      h('p', { style: 'color:#5c6370' }, `Showing ${most} of ${data.rows.length} rows.`),
  ]
}

/** Uses attributes, because many mail programs drop style sheets. */
function table(
  head: readonly string[],
  rows: readonly (readonly Child[])[],
  isNumber: readonly boolean[],
): Markup {
  const align = (column: number) => ({ align: isNumber[column] ? 'right' : 'left', valign: 'top' })
  return h(
    'table',
    { border: 0, cellpadding: 6, cellspacing: 0, style: 'border-collapse:collapse;font-size:14px' },
    h(
      'tr',
      { style: 'color:#5c6370;border-bottom:1px solid #b9bcc2' },
      head.map((label, column) => h('th', { ...align(column), style: 'font-weight:normal' }, label)),
    ),
    rows.map((row) =>
      h(
        'tr',
        { style: 'border-bottom:1px solid #e6e6e1' },
        row.map((cell, column) => h('td', align(column), cell)),
      ),
    ),
  )
}
