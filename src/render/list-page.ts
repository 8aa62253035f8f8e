import { colorClass } from './drawing/category.ts'
import { contextOf, countText, type FormatContext, format, plain, textOf } from './format.ts'
import { type Child, h, type Markup, render, tableHead, tableRow } from './html.ts'
import { page } from './page-head.ts'
import { listStyle } from './page-style.ts'
import type { IncidentList, ListedIncident } from './result/incident-lists.ts'
import type { Value } from './result/query-result.ts'
import type { ReportResult } from './result.ts'
import { shorten } from './sanitize-text.ts'
import { factsOf, words } from './summary.ts'
import { isSafe } from './text.ts'

/** Keeps a row below 160 bytes on average, half of which is the URL. */
const TITLE_MOST = 37

export const LISTS = 'incidents'

/** Returns the address of a list. @param folder the lists folder, relative to the page */
export function listAddress(folder: string, id: string): string {
  return `${folder}/${id}.html`
}

/** Renders the incidents behind one number. @param name page to which the list belongs @param csv whether CSV files exist */
export function listPage(
  list: IncidentList,
  { title, frame }: ReportResult,
  { name, csv }: { name: string; csv: boolean },
): string {
  const { label, count, first, time } = list
  const context = contextOf(frame)
  const heading = `${shorten(label, 120)}: ${countText(count)}`
  const [, ...facts] = factsOf(frame)
  const main = h(
    'main',
    { 'data-explore': list.filter },
    h('p', {}, h('a', { href: `../../${encodeURIComponent(name)}.html` }, `‹ ${title}`)),
    h('h1', {}, heading),
    h('p', {}, [...(time === null ? [] : [time]), ...facts].join(' · ')),
    first.length < count &&
      h('p', {}, `Showing ${countText(first.length)} incidents: the most severe first, then the longest.`),
    csv && h('p', {}, fileLink(list)),
    incidentTable(first, { context, title: TITLE_MOST, columns: 3 }),
  )
  return page(main, `${heading} · ${title}`, listStyle)
}

function fileLink({ of }: IncidentList): Child {
  const file = `all_${of}s.csv`
  return [`All ${of}s of the report: `, h('a', { href: `../${file}` }, file)]
}

interface Shape {
  readonly context: FormatContext
  readonly title: number
  readonly columns: 2 | 3
}

export function incidentTable(rows: readonly ListedIncident[], shape: Shape): Markup {
  const labels = ['Started', 'Incident', 'Duration'].slice(0, shape.columns)
  return h('table', {}, tableHead(labels), bodies(rows, shape))
}

function bodies(rows: readonly ListedIncident[], shape: Shape): Child {
  const groups = new Map<string, ListedIncident[]>()
  for (const row of rows) groups.set(row.severity, [...(groups.get(row.severity) ?? []), row])
  return [...groups].map(([severity, own]) =>
    h(
      'tbody',
      {},
      h(
        'tr',
        {},
        h(
          'th',
          { colspan: shape.columns, scope: 'rowgroup' },
          h('i', { class: `swatch ${colorClass(severity, 5)}` }),
          severity,
        ),
      ),
      own.map((row) => rowHtml(row, shape)),
    ),
  )
}

/** Cache, because the same incident occurs in dozens of lists. */
const drawn = new WeakMap<ListedIncident, Markup>()

function rowHtml(one: ListedIncident, shape: Shape): Markup {
  const known = drawn.get(one) ?? draw(one, shape)
  drawn.set(one, known)
  return known
}

function draw({ title, url, startedAt, lasted, isOpen }: ListedIncident, shape: Shape): Markup {
  const { context } = shape
  // Cells do not wrap, so plain spaces save bytes.
  const shown = (value: Value, as: 'time' | 'duration') => words(plain(format(value, as, context)))
  const time = shown(lasted, 'duration')
  const cells: [string | null, Child][] = [
    [null, shown(startedAt, 'time')],
    [null, linked(textOf(url, context), shorten(textOf(title, context), shape.title))],
    [null, isOpen ? [time, ', open'] : time],
  ]
  return tableRow(null, cells.slice(0, shape.columns))
}

/** Omits optional quotes of a link, to save bytes. */
function linked(href: string, text: string): Child {
  if (!isSafe(href)) return text
  if (!/^[\w:/.?#-]+$/.test(href)) return h('a', { href }, text)
  return { html: `<a href=${href}>${render(text)}</a>` }
}
