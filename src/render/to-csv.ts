import { jsonOf } from './format.ts'
import type { QueryResult, Value } from './result-parts.ts'
import { dropUnseen, escapeActing } from './sanitize-text.ts'

/** Converts to CSV (RFC 4180) with times in UTC. `harmless` disables texts that a spreadsheet would execute. */
export function toCsv(
  { columns, rows }: Pick<QueryResult, 'columns' | 'rows'>,
  texts: 'harmless' | 'as they are' = 'harmless',
): string {
  const text = texts === 'harmless' ? harmless : shown
  const header = columns.map(({ name, unit }) => quoted(text(unit ? `${name}_${unit}` : name)))
  const lines = [header, ...rows.map((row) => row.map((value) => field(value, text)))]
  return lines.map((line) => `${line.join(',')}\r\n`).join('')
}

/** The byte order mark at the start makes Excel recognize UTF-8. */
export const csvFile = (result: Pick<QueryResult, 'columns' | 'rows'>) => `\ufeff${toCsv(result)}`

function field(value: Value, text: (of: string) => string): string {
  if (value === null) return ''
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? '' : value.toISOString()
  if (typeof value === 'string') return quoted(text(value))
  return typeof value === 'object' ? quoted(text(escapeActing(jsonOf(value)))) : String(value)
}

const shown = (text: string) => dropUnseen(text.replace(ACTING, '\ufffd'))

/** Also disables formulas after semicolons, at which many spreadsheets split cells, even inside quotes. */
function harmless(text: string): string {
  const safe = shown(text).replace(FORMULA, "'").replace(INNER_FORMULA, "$1'")
  return /^[\t\r\n]/.test(safe) ? `'${safe}` : safe
}

const FORMULA = /^(?=\s*[=+\-@\uff1d\uff0b\uff0d\uff20])/
const INNER_FORMULA = /([;\uff1b\t\r\n])(?=[\s"]*[=+\-@\uff1d\uff0b\uff0d\uff20])/g

/** Control characters except tabs and line breaks, and characters that reorder text. */
const ACTING =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

function quoted(text: string): string {
  return /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text
}
