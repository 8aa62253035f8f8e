import { jsonOf } from './format.ts'
import type { QueryResult, Value } from './result/query-result.ts'
import { dropUnseen, escapeActing } from './sanitize-text.ts'

/**
 * A result as CSV: RFC 4180 with CRLF, UTF-8, a header even without rows, which names units (`tta_s`); instants as ISO in UTC,
 * durations in seconds with all their digits, null as nothing. Characters that act on a terminal become U+FFFD, and unseen ones are
 * dropped.
 * @param texts `harmless`: text that a spreadsheet would run gets an apostrophe in front; `as they are`: for machines
 */
export function toCsv(
  { columns, rows }: Pick<QueryResult, 'columns' | 'rows'>,
  texts: 'harmless' | 'as they are' = 'harmless',
): string {
  const text = texts === 'harmless' ? harmless : shown
  const header = columns.map(({ name, unit }) => quoted(text(unit ? `${name}_${unit}` : name)))
  const lines = [header, ...rows.map((row) => row.map((value) => field(value, text)))]
  return lines.map((line) => `${line.join(',')}\r\n`).join('')
}

/** A CSV file of a report: it begins with a byte order mark, by which Excel recognizes UTF-8. */
export const csvFile = (result: Pick<QueryResult, 'columns' | 'rows'>) => `\ufeff${toCsv(result)}`

function field(value: Value, text: (of: string) => string): string {
  if (value === null) return ''
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? '' : value.toISOString()
  if (typeof value === 'string') return quoted(text(value))
  return typeof value === 'object' ? quoted(text(escapeActing(jsonOf(value)))) : String(value)
}

const shown = (text: string) => dropUnseen(text.replace(ACTING, '\ufffd'))

/**
 * Only for text: a negative number stays a number. Spreadsheets of many countries separate cells by semicolons and then do not know
 * our quotes, so a semicolon, a tab or a line break inside a text begins a cell, too.
 */
function harmless(text: string): string {
  const safe = shown(text).replace(FORMULA, "'").replace(INNER_FORMULA, "$1'")
  return /^[\t\r\n]/.test(safe) ? `'${safe}` : safe
}

const FORMULA = /^(?=\s*[=+\-@\uff1d\uff0b\uff0d\uff20])/
const INNER_FORMULA = /([;\uff1b\t\r\n])(?=[\s"]*[=+\-@\uff1d\uff0b\uff0d\uff20])/g

/** Control characters but tabs and line breaks, and what turns the order of what is read. */
const ACTING =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

function quoted(text: string): string {
  return /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text
}
