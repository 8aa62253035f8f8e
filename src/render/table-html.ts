import { basisOf, cellsOf, cellText } from './cells.ts'
import { colorClass } from './drawing/category.ts'
import { type FormatContext, format, isNumeric, plain, textOf } from './format.ts'
import { type Child, h, type Markup, scrolling } from './html.ts'
import type { TableBlock, Value } from './result-parts.ts'
import { shorten } from './sanitize-text.ts'
import type { Site } from './site-html.ts'
import { sparkHtml } from './sparkline.ts'
import type { TableColumn } from './spec.ts'
import { inlineHtml, inlineText, linkTo, safeLink } from './text.ts'

export interface PageOptions {
  /** Address of the folder with CSV files. Null if there are none, as in a mail. */
  readonly csv: string | null
  /** Address of the folder with incident lists. If null, numbers are plain text. */
  readonly lists: string | null
  /** Navigation links, or null for a standalone page. */
  readonly site?: Site | null
  /** Whether the page covers only some incidents, such as those of a team. Then it omits comparisons of teams. */
  readonly isCompact: boolean
  readonly teamPage: (team: string) => string | null
}

export const ALONE: PageOptions = { csv: null, lists: null, isCompact: false, teamPage: () => null }

const LONGEST = 200
/** Number of rows before the folded ones. */
const UNFOLDED = 30

export function tableHtml(
  block: TableBlock,
  context: FormatContext,
  { csv, teamPage }: Pick<PageOptions, 'csv' | 'teamPage'>,
): Markup {
  const { data, columns, links } = block
  const rows = data.rows.slice(0, block.limit)
  const cells = cellsOf(data)
  const largest = new Map(
    columns.map(({ column }) => [column, Math.max(0, ...rows.map((row) => cells.number(row, column) ?? 0))]),
  )
  const cellHtml = (row: readonly Value[], column: TableColumn): Child => {
    const name = column.column
    if (column.spark === true) return sparkHtml(cells.value(row, name))
    const basis = basisOf(column, row, cells, context)
    const short = shorten(cellText(column, row, cells, context), LONGEST)
    const shown = basis.few ? `${short}\u00a0!` : short
    // A team’s name links to the team’s pages instead of an incident list.
    const list = (name === 'team' ? teamPage(cells.text(row, name)) : null) ?? linkTo(links?.get(name), [row])
    const linkedText = list === null ? shown : h('a', { href: list }, shown)
    if (column.badge) return [h('i', { class: `swatch ${colorClass(shown, 5)}` }), linkedText]
    if (column.bar) {
      const most = largest.get(name)!
      // Every figure takes the width of the widest one, so that all bars start at the same position.
      const digits = Math.min(9, plain(format(most, column.format, context)).length)
      const share = (cells.number(row, name) ?? 0) / (most || 1)
      return [h('span', { class: `of w${digits}` }, linkedText), bar(share)]
    }
    const linked = column.link ? safeLink(textOf(cells.value(row, column.link), context), shown) : linkedText
    if (column.spark) return [linked, ' ', sparkHtml(cells.value(row, column.spark))]
    if (!basis.text) return linked
    const figure = basis.few ? h('span', { class: 'rare' }, linked) : linked
    return [figure, h('small', { class: 'basis' }, basis.text)]
  }
  const rowHtml = (row: readonly Value[]) =>
    columns.map((column) => h('td', { class: classOf(column) }, cellHtml(row, column)))
  const label = inlineText(block.title) || data.name
  const some = (name: string, part: typeof rows) => {
    const body = part.map((row) => h('tr', {}, rowHtml(row)))
    return scrolling(name, h('table', {}, columnHead(columns, classOf), h('tbody', {}, body)))
  }
  const rest = rows.slice(UNFOLDED)
  return h(
    'figure',
    { class: 'block', id: block.section ?? null },
    block.title.length > 0 && h('h3', {}, inlineHtml(block.title)),
    block.subtitle.length > 0 && h('p', { class: 'sub' }, inlineHtml(block.subtitle)),
    rows.length === 0 ? h('p', { class: 'more' }, block.empty) : some(label, rows.slice(0, UNFOLDED)),
    rest.length > 0 &&
      h(
        'details',
        { class: 'rest' },
        h('summary', {}, `${rest.length} more ${rest.length === 1 ? 'row' : 'rows'}`),
        some(`${label}, continued`, rest),
      ),
    moreHtml(data, rows.length, csv),
  )
}

/** Renders the number of shown rows, and the name of the CSV file with all rows. `csv` is its folder, or null. */
export function moreHtml({ name, rows }: TableBlock['data'], shown: number, csv: string | null): Child {
  const isCut = rows.length > shown
  if (rows.length === 0 || (!isCut && csv === null)) return null
  const file = csv === null ? `${name}.csv` : h('a', { href: `${csv}/${name}.csv` }, `${name}.csv`)
  return isCut
    ? h('p', { class: 'more' }, [`All ${rows.length} rows: `, file])
    : h('p', { class: 'more file' }, file)
}

export function columnHead(columns: readonly TableColumn[], classOf: (column: TableColumn) => string | null) {
  const cells = columns.map((column) => h('th', { class: classOf(column), scope: 'col' }, column.label))
  return h('thead', {}, h('tr', {}, cells))
}

function classOf(column: TableColumn): string | null {
  const kind = column.bar ? 'fit' : isNumeric(column.format) ? 'num' : column.wrap ? 'wrap' : 'fit'
  return column.priority === 2 ? `${kind} later` : kind
}

export function bar(share: number): Markup {
  return h(
    'svg',
    { class: 'bar', viewBox: '0 0 84 9', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    h('rect', { class: 'c0', x: 0, y: 0, width: share <= 0 ? 0 : Math.max(1, share * 84), height: 9 }),
  )
}
