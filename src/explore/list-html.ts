import { NO_MATCH } from '../page/sentences/explore-sentences.ts'
import { cellsOf } from '../render/cells.ts'
import { countText, type FormatContext } from '../render/format.ts'
import { type Child, h, scrolling } from '../render/html.ts'
import { incidentTable, ownColumns, startColumn, timeColumn } from '../render/list-page.ts'
import { listing } from '../report/incidents/read-rows.ts'
import type { Rows } from '../warehouse/read/rows.ts'
import type { Filter } from './filter.ts'
import { linkHtml } from './link-html.ts'
import { PAGE } from './statements.ts'

/** @param total number of incidents on all pages */
export function listHtml(
  { columns, rows }: Rows,
  filter: Filter,
  total: number,
  context: FormatContext,
): Child {
  if (total === 0) return h('p', { class: 'nothing' }, NO_MATCH)
  const listed = rows.map(listing(cellsOf({ columns })))
  return [
    scrolling('Incidents', incidentTable(listed, exploredColumns(filter), context)),
    pagesHtml(filter, total),
  ]
}

/** If the filter selects a person, the list shows no times, because times are never shown for individuals. */
const exploredColumns = ({ person }: Filter) => [
  startColumn,
  ...ownColumns,
  ...(person === null ? [timeColumn('tta'), timeColumn('lasted_s')] : []),
]

export const lastPage = (total: number) => Math.max(1, Math.ceil(total / PAGE))

function pagesHtml(filter: Filter, total: number): Child {
  const last = lastPage(total)
  if (last === 1) return null
  const link = (page: number, words: string) =>
    page >= 1 && page <= last && page !== filter.page && linkHtml({ ...filter, page }, words)
  return h(
    'nav',
    { class: 'pages', 'aria-label': 'List pages' },
    link(1, '« First'),
    link(filter.page - 1, '‹ Previous'),
    h('span', {}, `Page ${countText(filter.page)} of ${countText(last)}`),
    link(filter.page + 1, 'Next ›'),
    link(last, 'Last »'),
  )
}
