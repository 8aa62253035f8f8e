import { dropUnseen, escapeActing } from './clean.ts'
import { jsonOf } from './format.ts'
import type { QueryResult, Value } from './result/query-result.ts'

/**
 * A result as CSV: RFC 4180 with CRLF, UTF-8, a header even without rows, which names units (`tta_s`); instants as ISO in UTC,
 * durations in seconds with all their digits, null as nothing. Text that a spreadsheet would run gets an apostrophe in front,
 * characters that act on a terminal become U+FFFD, and unseen ones are dropped.
 */
export function toCsv({ columns, rows }: Pick<QueryResult, 'columns' | 'rows'>): string {
  const header = columns.map(({ name, unit }) => quoted(harmless(unit ? `${name}_${unit}` : name)))
  const lines = [header, ...rows.map((row) => row.map(field))]
  return lines.map((line) => `${line.join(',')}\r\n`).join('')
}

function field(value: Value): string {
  if (value === null) return ''
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? '' : value.toISOString()
  if (typeof value === 'string') return quoted(harmless(value))
  return typeof value === 'object' ? quoted(escapeActing(jsonOf(value))) : String(value)
}

/** Only for text: a negative number stays a number. */
function harmless(text: string): string {
  const shown = dropUnseen(text.replace(ACTING, '\ufffd'))
  return /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/.test(shown) ? `'${shown}` : shown
}

/** Control characters but tabs and line breaks, and what turns the order of what is read. */
const ACTING =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

function quoted(text: string): string {
  return /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text
}
