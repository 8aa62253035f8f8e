import stringWidth from 'string-width'
import { basisOf, cellsOf, cellText } from '../cells.ts'
import { type FormatContext, isNumeric, numberOf } from '../format.ts'
import type { TableBlock, Value } from '../result-parts.ts'
import { sparkText } from '../sparkline.ts'
import type { TableColumn } from '../spec.ts'
import { bar, categoryStyle, pad, safe, type Terminal } from './paint.ts'

const barWidth = 12

/** Draws a table as text. If it is too wide, drops columns of priority 2 and shortens long texts. */
export function tableLines(
  { data, columns, limit, empty }: TableBlock,
  context: FormatContext,
  terminal: Terminal,
): string[] {
  if (data.rows.length === 0) return [terminal.paint('dim', safe(empty))]
  const reader = cellsOf(data)
  const { value } = reader
  const rows = data.rows.slice(0, limit)
  const at = (row: readonly Value[], { column }: TableColumn) => value(row, column)
  const cells = (column: TableColumn, isWhole: boolean) =>
    rows.map((row) => {
      const { few, text } = basisOf(column, row, reader, context)
      const drawn = typeof column.spark === 'string' ? ` ${sparkText(value(row, column.spark))}` : ''
      const shown = `${cellText(column, row, reader, context)}${few ? ' !' : ''}${drawn}`
      return safe(isWhole && text ? `${shown} (${text})` : shown)
    })
  const withCells = (isWhole: boolean) => columns.map((column) => ({ column, cells: cells(column, isWhole) }))
  const laid = (isWhole: boolean) => chosen(withCells(isWhole), terminal.width)
  // Shows sample sizes and intervals only if all columns still fit.
  const whole = laid(true)
  const drawn = whole.length === columns.length && widthOf(whole) <= terminal.width ? whole : laid(false)
  const line = (texts: string[]) => texts.join('  ').trimEnd()
  const body = rows.map((row, position) =>
    line(
      drawn.map(({ column, cells: texts, width }) => {
        const text = pad(texts[position]!, width, isNumeric(column.format) ? 'right' : 'left')
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
      const label = pad(safe(column.label), width, isNumeric(column.format) ? 'right' : 'left')
      return column.bar ? `${label}${' '.repeat(barWidth + 1)}` : label
    }),
  )
  const cut = `All ${data.rows.length} rows: ${data.name}.csv`
  const more = data.rows.length > rows.length ? [terminal.paint('dim', cut)] : []
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
  const kept = widthOf(natural) > room ? natural.filter(({ column }) => column.priority === 1) : natural
  // Shortens only the longest texts, so that short ones stay complete.
  const texts = kept.filter(({ column }) => !isNumeric(column.format)).toSorted((a, b) => a.width - b.width)
  let left = room - widthOf(kept) + texts.reduce((sum, { width }) => sum + width, 0)
  texts.forEach((each, index) => {
    each.width = Math.min(each.width, Math.max(10, Math.floor(left / (texts.length - index))))
    left -= each.width
  })
  return kept
}

function widthOf(all: readonly Drawn[]): number {
  return all.reduce((sum, { column, width }) => sum + width + (column.bar ? barWidth + 1 : 0) + 2, -2)
}
