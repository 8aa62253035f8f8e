import { stringifyJson } from '../contract/json.ts'
import type { Cell } from '../warehouse/cell.ts'
import type { Rows } from '../warehouse/reader.ts'
import { textTable } from './text-table.ts'

export const OUTPUT_FORMATS = ['table', 'csv', 'json', 'markdown'] as const
export type OutputFormat = (typeof OUTPUT_FORMATS)[number]

/** A result as a table for people, as JSON (one array of objects, every digit kept) or as a Markdown table. */
export function resultText(result: Rows, format: Exclude<OutputFormat, 'csv'>): string {
  if (format === 'json') return stringifyJson(result.rows.map((row) => objectOf(result, row)))
  const header = result.columns.map((column) => column.name)
  const rows = result.rows.map((row) => row.map(cellText))
  if (format === 'markdown') return markdown(header, rows)
  const numeric = result.columns.map((column) => /INT|DOUBLE|DECIMAL|FLOAT/.test(column.type))
  const count = `${rows.length.toLocaleString('en')} ${rows.length === 1 ? 'row' : 'rows'}`
  return [
    ...textTable([header, header.map((name) => '─'.repeat(name.length)), ...rows], numeric),
    '',
    count,
  ].join('\n')
}

function objectOf({ columns }: Rows, row: readonly Cell[]): Record<string, Cell> {
  return Object.fromEntries(columns.map((column, index) => [column.name, row[index]!]))
}

function cellText(value: Cell): string {
  if (value === null) return ''
  if (value instanceof Date) return value.toISOString().replace('.000Z', 'Z')
  return typeof value === 'object' ? stringifyJson(value) : String(value)
}

function markdown(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replace(/[\\|]/g, '\\$&').replace(/\s*\n\s*/g, ' ')).join(' | ')} |`
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n')
}
