import stringWidth from 'string-width'
import { type FormatContext, format, numberOf, plain } from '../format.ts'
import type { TableBlock, TableColumn, Value } from '../result.ts'
import { bar } from './marks.ts'
import { categoryStyle, pad, safe, type Terminal } from './paint.ts'

const barWidth = 12

/** A table in characters; columns that do not fit lose their text first, then the ones of less weight go. */
export function tableLines(
  { data, columns, limit, empty }: TableBlock,
  context: FormatContext,
  terminal: Terminal,
): string[] {
  if (data.rows.length === 0) return [terminal.paint('dim', safe(empty))]
  const index = new Map(data.columns.map(({ name }, position) => [name, position]))
  const rows = data.rows.slice(0, limit)
  const at = (row: readonly Value[], { column }: TableColumn) => row[index.get(column) ?? -1] ?? null
  const cells = (column: TableColumn) =>
    rows.map((row) => safe(plain(format(at(row, column), column.format, context))))
  const drawn = chosen(
    columns.map((column) => ({ column, cells: cells(column) })),
    terminal.width,
  )
  const line = (texts: string[]) => texts.join('  ').trimEnd()
  const body = rows.map((row, position) =>
    line(
      drawn.map(({ column, cells: texts, width }) => {
        const text = pad(texts[position]!, width, isNumber(column) ? 'right' : 'left')
        if (column.badge) return terminal.paint(categoryStyle(texts[position]!), text)
        if (!column.bar) return text
        const highest = Math.max(Number.MIN_VALUE, ...rows.map((each) => numberOf(at(each, column)) ?? 0))
        const drawnBar = bar((numberOf(at(row, column)) ?? 0) / highest, barWidth)
        return `${text} ${terminal.paint('blue', drawnBar)}${' '.repeat(barWidth - drawnBar.length)}`
      }),
    ),
  )
  const head = line(
    drawn.map(({ column, width }) => {
      const label = pad(safe(column.label), width, isNumber(column) ? 'right' : 'left')
      return column.bar ? `${label}${' '.repeat(barWidth + 1)}` : label
    }),
  )
  const more =
    data.rows.length > rows.length
      ? [terminal.paint('dim', `${rows.length} of ${data.rows.length}; all of them are in ${data.name}.csv.`)]
      : []
  return [terminal.paint('dim', head), ...body, ...more]
}

interface Drawn {
  column: TableColumn
  cells: string[]
  width: number
}

function chosen(columns: { column: TableColumn; cells: string[] }[], room: number): Drawn[] {
  const natural = columns.map(
    (each): Drawn => ({
      ...each,
      width: Math.max(stringWidth(each.column.label), ...each.cells.map((cell) => stringWidth(cell))),
    }),
  )
  const total = (all: readonly Drawn[]) =>
    all.reduce((sum, { column, width }) => sum + width + (column.bar ? barWidth + 1 : 0) + 2, -2)
  const kept = total(natural) > room ? natural.filter(({ column }) => column.priority === 1) : natural
  for (const each of kept.toSorted((a, b) => b.width - a.width)) {
    const over = total(kept) - room
    if (over > 0 && !isNumber(each.column)) each.width = Math.max(10, each.width - over)
  }
  return kept
}

function isNumber({ format: as }: TableColumn): boolean {
  return as === 'number' || as === 'duration' || as === 'percent'
}
