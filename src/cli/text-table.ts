import stringWidth from 'string-width'
import { localTime } from '../render/format.ts'
import { cleanForTerminal } from '../render/sanitize-text.ts'

export const CUT = '…'
const GAP = 2
/** Minimum width of a column. A table that is still too wide with such columns loses its last columns. */
const NARROWEST = 6

/** The first row is the header. To fit `width`, shortens the widest columns first, then omits the last columns. */
export function textTable(
  rows: readonly (readonly string[])[],
  rightAligned: readonly boolean[] = [],
  width = Number.POSITIVE_INFINITY,
): string[] {
  const cells = rows.map((row) => row.map(cleanForTerminal))
  const natural = (cells[0] ?? []).map((_, column) =>
    cells.reduce((widest, row) => Math.max(widest, stringWidth(row[column] ?? '')), 0),
  )
  const widths = fitted(natural, width)
  const end = widths.length < natural.length ? ` ${CUT}` : ''
  return cells.map((row) =>
    row
      .slice(0, widths.length)
      .map((cell, column) => {
        const shown = shortened(cell, widths[column]!)
        const space = ' '.repeat(Math.max(0, widths[column]! - stringWidth(shown)))
        return rightAligned[column] ? space + shown : shown + space
      })
      .join(' '.repeat(GAP))
      .trimEnd()
      .concat(end),
  )
}

/** Narrows the widest columns to one common width. If that is not enough, omits the last columns. */
function fitted(natural: readonly number[], width: number): readonly number[] {
  const total = (widths: readonly number[]) =>
    widths.reduce((sum, one) => sum + one, 0) + GAP * Math.max(0, widths.length - 1)
  if (total(natural) <= width) return natural
  for (let most = Math.max(...natural); most >= NARROWEST; most--) {
    const widths = natural.map((one) => Math.min(one, most))
    if (total(widths) <= width) return widths
  }
  let kept = natural.map((one) => Math.min(one, NARROWEST))
  while (kept.length > 1 && total(kept) + GAP > width) kept = kept.slice(0, -1)
  return kept
}

function shortened(text: string, width: number): string {
  if (stringWidth(text) <= width) return text
  let shown = ''
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (stringWidth(shown + segment) >= width) break
    shown += segment
  }
  return shown + CUT
}

/** Formats a time as `2026-03-01 08:00:00Z` or `2026-03-01 09:00:00+01:00`. Returns `-` if the value is not a time. */
export function instant(value: unknown, timezone = 'UTC'): string {
  if (!(value instanceof Date)) return '-'
  const local = localTime(value, timezone)
  const minutes = Math.round((Date.parse(`${local}Z`) - value.getTime()) / 60_000)
  const offset = new Date(Math.abs(minutes) * 60_000).toISOString().slice(11, 16)
  return local.replace('T', ' ') + (timezone === 'UTC' ? 'Z' : (minutes < 0 ? '-' : '+') + offset)
}
