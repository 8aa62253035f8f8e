import stringWidth from 'string-width'
import { cleanForTerminal } from '../render/clean.ts'

/** Rows as aligned columns; the first row is the header. Escape sequences are removed. */
export function textTable(
  rows: readonly (readonly string[])[],
  rightAligned: readonly boolean[] = [],
): string[] {
  const cells = rows.map((row) => row.map(cleanForTerminal))
  const widths = (cells[0] ?? []).map((_, column) =>
    cells.reduce((widest, row) => Math.max(widest, stringWidth(row[column] ?? '')), 0),
  )
  return cells.map((row) =>
    row
      .map((cell, column) => {
        const space = ' '.repeat(Math.max(0, widths[column]! - stringWidth(cell)))
        return rightAligned[column] ? space + cell : cell + space
      })
      .join('  ')
      .trimEnd(),
  )
}

/** A time as `2026-03-01 08:00:00Z`; `-` for anything else. */
export function instant(value: unknown): string {
  return value instanceof Date ? `${value.toISOString().slice(0, 19).replace('T', ' ')}Z` : '-'
}
