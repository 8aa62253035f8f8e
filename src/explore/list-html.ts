import { cellsOf } from '../render/cells.ts'
import { colorClass } from '../render/drawing/category.ts'
import { countText, type FormatContext, format, plain, textOf } from '../render/format.ts'
import { type Child, h, type Markup, scrolling, tableRow } from '../render/html.ts'
import { shorten } from '../render/sanitize-text.ts'
import { safeLink } from '../render/text.ts'
import type { Rows } from '../warehouse/read/rows.ts'
import { addressOf, type Filter, type Sort, TIMES } from './filter.ts'
import { PAGE } from './statements.ts'

/** A column of the list; those that are hidden on a phone are `later`. */
interface Column {
  readonly label: string
  readonly sort: Sort | null
  readonly kind: string
}

const columns: readonly Column[] = [
  { label: 'Started', sort: 'started', kind: 'fit' },
  { label: 'Severity', sort: 'severity', kind: 'fit' },
  { label: 'Incident', sort: null, kind: 'wrap' },
  { label: 'Team', sort: 'team', kind: 'wrap later' },
  { label: 'Acknowledged in', sort: 'acknowledged', kind: 'num later' },
  { label: 'Lasted', sort: 'lasted', kind: 'num' },
]

const TITLE_MOST = 160

/** One page of the incidents of a filter. @param total how many there are on all pages */
export function listHtml(rows: Rows, filter: Filter, total: number, context: FormatContext): Child {
  const shown = columns.filter(({ sort }) => filter.person === null || sort === null || !TIMES.includes(sort))
  if (total === 0) return h('p', { class: 'nothing' }, 'No incidents are like this.')
  const cells = cellsOf(rows)
  const text = (row: Rows['rows'][number], column: string) => textOf(cells.value(row, column), context)
  const time = (row: Rows['rows'][number], column: string) =>
    plain(format(cells.value(row, column), 'duration', context))
  const rowHtml = (row: Rows['rows'][number]) => {
    const severity = cells.text(row, 'incident_severity')
    const title = text(row, 'title').trim() || text(row, 'num') || text(row, 'incident_id')
    const content: Record<string, Child> = {
      Started: plain(format(cells.value(row, 'start_time'), 'time', context)),
      Severity: [h('i', { class: `swatch ${colorClass(severity, 5)}` }), severity],
      Incident: safeLink(text(row, 'detail_url'), shorten(title, TITLE_MOST)),
      Team: shorten(cells.text(row, 'team_name'), 60),
      'Acknowledged in': time(row, 'tta_s'),
      Lasted: [time(row, 'lasted_s'), cells.isTrue(row, 'is_open') && ', open'],
    }
    return tableRow(
      null,
      shown.map(({ label, kind }) => [kind, content[label]]),
    )
  }
  const head = h(
    'thead',
    {},
    h(
      'tr',
      {},
      shown.map((column) => headHtml(column, filter)),
    ),
  )
  return [
    scrolling('Incidents', h('table', {}, head, h('tbody', {}, rows.rows.map(rowHtml)))),
    pagesHtml(filter, total),
  ]
}

function headHtml({ label, sort, kind }: Column, filter: Filter): Markup {
  if (sort === null) return h('th', { class: kind, scope: 'col' }, label)
  const isSorted = filter.sort === sort
  const order = isSorted ? (filter.descending ? 'descending' : 'ascending') : null
  const descending = isSorted ? !filter.descending : sort !== 'team'
  const arrow = isSorted && (filter.descending ? ' ↓' : ' ↑')
  const href = addressOf({ ...filter, sort, descending, page: 1 })
  return h('th', { class: kind, scope: 'col', 'aria-sort': order }, h('a', { href }, label), arrow)
}

/** The last page of so many incidents. */
export const lastPage = (total: number) => Math.max(1, Math.ceil(total / PAGE))

function pagesHtml(filter: Filter, total: number): Child {
  const last = lastPage(total)
  if (last === 1) return null
  const link = (page: number, words: string) =>
    page >= 1 &&
    page <= last &&
    page !== filter.page &&
    h('a', { href: addressOf({ ...filter, page }) }, words)
  return h(
    'nav',
    { class: 'pages', 'aria-label': 'Pages of the list' },
    link(1, '« First'),
    link(filter.page - 1, '‹ Before'),
    h('span', {}, `Page ${countText(filter.page)} of ${countText(last)}`),
    link(filter.page + 1, 'Next ›'),
    link(last, 'Last »'),
  )
}
