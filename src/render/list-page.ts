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

/** A row takes 160 bytes at most in the mean, of which its address is the half. */
const TITLE_MOST = 37

/** The folder of a report's lists, in the folder of its files. */
export const LISTS = 'incidents'

/** The address of a list. @param folder of the lists, seen from the page */
export function listAddress(folder: string, id: string): string {
  return `${folder}/${id}.html`
}

/**
 * A page of what one number counts: worst first, then longest, with a way back. Without a script, as all pages.
 * @param name of the page that it belongs to
 * @param csv whether the files of the report lie beside the folder of the lists
 */
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
    first.length < count && h('p', {}, `The worst ${countText(first.length)} of them, then the longest.`),
    csv && h('p', {}, fileLink(list)),
    incidentTable(first, { context, title: TITLE_MOST, columns: 3 }),
  )
  return page(main, `${heading} · ${title}`, listStyle)
}

function fileLink({ of }: IncidentList): Child {
  const file = `all_${of}s.csv`
  return ['Every one of the report is in ', h('a', { href: `../${file}` }, file), '.']
}

/** How rows are drawn. */
interface Shape {
  readonly context: FormatContext
  /** Characters of a title. */
  readonly title: number
  /** Without the last column, which says how long an incident lasted, there are two. */
  readonly columns: 2 | 3
}

/** Returns a table of incidents, each severity under its name. */
export function incidentTable(rows: readonly ListedIncident[], shape: Shape): Markup {
  const labels = ['Started', 'Incident', 'Lasted'].slice(0, shape.columns)
  return h('table', {}, tableHead(labels), bodies(rows, shape))
}

/** The rows of each severity under its name. */
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

/** An incident stands in dozens of lists of its report, in all of them alike: it is drawn once. */
const drawn = new WeakMap<ListedIncident, Markup>()

function rowHtml(one: ListedIncident, shape: Shape): Markup {
  const known = drawn.get(one) ?? draw(one, shape)
  drawn.set(one, known)
  return known
}

function draw({ title, url, startedAt, lasted, isOpen }: ListedIncident, shape: Shape): Markup {
  const { context } = shape
  // Cells do not break: the spaces that keep a figure and its unit together are not needed.
  const shown = (value: Value, as: 'time' | 'duration') => words(plain(format(value, as, context)))
  const time = shown(lasted, 'duration')
  const cells: [string | null, Child][] = [
    [null, shown(startedAt, 'time')],
    [null, linked(textOf(url, context), shorten(textOf(title, context), shape.title))],
    [null, isOpen ? [time, ', open'] : time],
  ]
  return tableRow(null, cells.slice(0, shape.columns))
}

/** Without quotes where its characters need none: half of a row is its address. */
function linked(href: string, text: string): Child {
  if (!isSafe(href)) return text
  if (!/^[\w:/.?#-]+$/.test(href)) return h('a', { href }, text)
  return { html: `<a href=${href}>${render(text)}</a>` }
}
