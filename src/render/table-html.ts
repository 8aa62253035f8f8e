import { colorClass } from './chart/category.ts'
import { type FormatContext, format, numberOf, plain, textOf } from './format.ts'
import { type Child, h, type Markup } from './html.ts'
import type { TableBlock, TableColumn, Value } from './result.ts'
import { scrolling } from './scrolling.ts'
import { shorten } from './shorten.ts'
import { inlineHtml, inlineText, safeLink } from './text.ts'

/** A table as its author asked for it. */
export function tableHtml(block: TableBlock, context: FormatContext): Markup {
  const { data, columns } = block
  const rows = data.rows.slice(0, block.limit)
  const index = new Map(data.columns.map(({ name }, position) => [name, position]))
  const at = (row: readonly Value[], name: string) => row[index.get(name) ?? -1] ?? null
  const largest = new Map(
    columns.map(({ column }) => [column, Math.max(0, ...rows.map((row) => numberOf(at(row, column)) ?? 0))]),
  )
  const body = rows.map((row) =>
    h(
      'tr',
      {},
      columns.map((column) =>
        h(
          'td',
          { class: classOf(column) },
          cellHtml(at(row, column.column), column, {
            context,
            largest: largest.get(column.column)!,
            digits: Math.min(9, plain(format(largest.get(column.column)!, column.format, context)).length),
            href: column.link === null ? null : textOf(at(row, column.link), context),
          }),
        ),
      ),
    ),
  )
  return h(
    'figure',
    { class: 'block' },
    block.title.length > 0 && h('h3', {}, inlineHtml(block.title)),
    block.subtitle.length > 0 && h('p', { class: 'sub' }, inlineHtml(block.subtitle)),
    rows.length === 0
      ? h('p', { class: 'more' }, block.empty)
      : scrolling(inlineText(block.title) || data.name, h('table', {}, head(columns), h('tbody', {}, body))),
    data.rows.length > rows.length &&
      h(
        'p',
        { class: 'more' },
        `${rows.length} of ${data.rows.length}; all of them are in ${data.name}.csv.`,
      ),
  )
}

function head(columns: readonly TableColumn[]): Markup {
  return h(
    'thead',
    {},
    h(
      'tr',
      {},
      columns.map((column) => h('th', { class: classOf(column), scope: 'col' }, column.label)),
    ),
  )
}

function isNumber({ format: as }: TableColumn): boolean {
  return as === 'number' || as === 'duration' || as === 'percent'
}

function classOf(column: TableColumn): string | null {
  const names = [
    column.bar ? 'fit' : isNumber(column) ? 'num' : column.wrap ? 'wrap' : 'fit',
    column.priority === 2 && 'later',
  ]
  return names.filter(Boolean).join(' ')
}

interface Look {
  context: FormatContext
  largest: number
  /** Characters of the widest figure in the column, so that all bars begin at the same place. */
  digits: number
  href: string | null
}

/** Characters of a cell: more would push the rest of the table off the page; the CSV file has all. */
const longest = 200

function cellHtml(value: Value, column: TableColumn, { context, largest, digits, href }: Look): Child {
  const shown = shorten(plain(format(value, column.format, context)), longest)
  if (column.badge) return [h('i', { class: `swatch ${colorClass(shown, 5)}` }), shown]
  if (column.bar)
    return [h('span', { class: `of w${digits}` }, shown), bar((numberOf(value) ?? 0) / (largest || 1))]
  return href === null ? shown : safeLink(href, shown)
}

function bar(share: number): Markup {
  return h(
    'svg',
    { class: 'bar', viewBox: '0 0 84 9', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    h('rect', { class: 'c0', x: 0, y: 0, width: share <= 0 ? 0 : Math.max(1, share * 84), height: 9 }),
  )
}
