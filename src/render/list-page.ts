import { allOf, headingText, notIn, orderText } from '../page/sentences/list-sentences.ts'
import { colorClass } from './drawing/category.ts'
import { contextOf, type FormatContext, format, plain, textOf } from './format.ts'
import { type Child, h, type Markup, render, tableRow } from './html.ts'
import { page } from './page-head.ts'
import { listStyle } from './page-style.ts'
import type { ReportResult, Value } from './result.ts'
import { type IncidentList, type ListedIncident, type Measure, measures } from './result-parts.ts'
import { shorten } from './sanitize-text.ts'
import { factsOf } from './summary.ts'
import { capital, isSafe } from './text.ts'

/** Maximum length of a title. A longer title would fill the page. */
const TITLE_MOST = 300

export const LISTS = 'incidents'

/** @param folder the folder of the lists, relative to the page */
export function listAddress(folder: string, id: string): string {
  return `${folder}/${id}.html`
}

/** Renders the incidents behind one number. `name` is the report page that contains the number. */
export function listPage(
  list: IncidentList,
  { title, frame }: ReportResult,
  { name, csv }: { name: string; csv: boolean },
): string {
  const { first, time } = list
  const context = contextOf(frame)
  const heading = headingText(list)
  const facts = factsOf(frame)
  const file = `all_${list.of}s.csv`
  const main = h(
    'main',
    { 'data-explore': list.filter },
    h('p', {}, h('a', { href: `../../${encodeURIComponent(name)}.html` }, `‹ ${title}`)),
    h('h1', {}, heading),
    h('p', {}, [...(time === null ? [] : [time]), ...facts].join(' · ')),
    h('p', {}, orderText(list)),
    csv && h('p', {}, allOf(list.of), h('a', { href: `../${file}` }, file)),
    incidentTable(first, columnsOf(list), context),
  )
  return page(main, `${heading} · ${title}`, listStyle)
}

interface ListColumn {
  readonly label: string
  readonly cell: (row: ListedIncident, context: FormatContext, index: number) => Child
  readonly kind?: 'num' | 'title'
}

const shown = (value: Value, as: 'time' | 'duration', context: FormatContext) =>
  plain(format(value, as, context))
const text = (value: Value, context: FormatContext) => shorten(textOf(value, context), TITLE_MOST)

export const startColumn: ListColumn = {
  label: 'Start',
  cell: ({ at }, context) => shown(at, 'time', context),
}

export const ownColumns: readonly ListColumn[] = [
  {
    label: 'Severity',
    cell: ({ severity }) => [h('i', { class: `swatch ${colorClass(severity, 5)}` }), severity],
  },
  {
    label: 'Incident',
    kind: 'title',
    cell: ({ title, url }, context) => linked(textOf(url, context), text(title, context)),
  },
  { label: 'Team', cell: ({ team }, context) => text(team, context) },
  // Omits `acknowledged` from the state, because most incidents are acknowledged.
  { label: 'State', cell: ({ state }) => String(state).replace(', acknowledged', '') },
]

/** A column for a duration, such as the time to acknowledge. An unacknowledged incident shows `not in 3 h`. */
export const timeColumn = (measure: Measure): ListColumn => ({
  label: measures[measure],
  kind: 'num',
  cell: ({ seconds, state }, context) => {
    const value = seconds[measure]
    if (value !== null) return shown(value, 'duration', context)
    const isMissing = /ack|tta/.test(measure) ? /not ack/.test(String(state)) : /^open/.test(String(state))
    return isMissing ? notIn(seconds.lasted_s) : '–'
  },
})

const pageColumns: readonly ListColumn[] = [
  { ...startColumn, label: 'Page' },
  { label: 'Local time', cell: ({ localTime }) => String(localTime) },
  { label: 'Person', cell: ({ person }, context) => text(person, context) },
]

function columnsOf({ of, measure, marked }: IncidentList): ListColumn[] {
  const mark: ListColumn[] =
    marked === null
      ? []
      : [{ label: capital(marked.as), cell: (_, __, index) => (index < marked.count ? 'yes' : 'no') }]
  if (of === 'page') return [...pageColumns, ...mark, ...ownColumns]
  const time = timeColumn(measure ?? 'lasted_s')
  return measure === null
    ? [...mark, ...ownColumns, time, startColumn]
    : [time, ...mark, ...ownColumns, startColumn]
}

export function incidentTable(
  rows: readonly ListedIncident[],
  columns: readonly ListColumn[],
  context: FormatContext,
): Markup {
  const kinds = columns.map(({ kind }) => kind ?? null)
  const head = columns.map(({ label, kind }) => h('th', { scope: 'col', class: kind }, label))
  const row = (one: ListedIncident, place: number) =>
    tableRow(columns.map(({ cell }, index) => [kinds[index]!, cell(one, context, place)] as const))
  return h('table', { class: 'incidents' }, h('thead', {}, h('tr', {}, head)), h('tbody', {}, rows.map(row)))
}

/** Omits the quotes around a simple address to save bytes. */
function linked(href: string, text: string): Child {
  if (!isSafe(href)) return text
  if (!/^[\w:/.?#-]+$/.test(href)) return h('a', { href }, text)
  return { html: `<a href=${href}>${render(text)}</a>` }
}
