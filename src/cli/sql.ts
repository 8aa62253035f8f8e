import { readFileSync } from 'node:fs'
import { loadConfig } from '../config.ts'
import { stringifyJson } from '../contract/json.ts'
import { ConfigError } from '../errors.ts'
import { toCsv } from '../render/to-csv.ts'
import type { Cell } from '../warehouse/read/cell.ts'
import type { Rows } from '../warehouse/read/reader.ts'
import { openReader } from '../warehouse/read/reader.ts'
import type { Context } from './context.ts'
import { textTable } from './text-table.ts'

type OutputFormat = 'table' | 'csv' | 'json' | 'markdown'

export interface SqlFlags {
  readonly format?: OutputFormat
  readonly json?: boolean
}

/** `faultline sql`: runs one read-only statement on the published copy. */
export async function sqlCommand(
  context: Context,
  query: string | undefined,
  flags: SqlFlags,
): Promise<number> {
  const config = loadConfig(context.overrides)
  const text = query === undefined || query === '-' ? readInput() : query
  if (text.trim() === '') {
    throw new ConfigError('There is no query.', {
      next: `Write one: faultline sql "select * from incident_times limit 5"`,
    })
  }
  const reader = await openReader(config.warehouse, {
    memoryLimit: config.reporting.memoryLimit,
    settings: config.settings,
  })
  try {
    const result = await reader.query(text)
    const format = flags.json ? 'json' : (flags.format ?? 'table')
    if (format === 'csv') process.stdout.write(toCsv(result))
    else context.console.out(resultText(result, format))
    return 0
  } finally {
    reader.close()
  }
}

/** Standard input, unless it is a terminal. */
function readInput(): string {
  return process.stdin.isTTY ? '' : readFileSync(0, 'utf8')
}

/** A result as a text table, as JSON (an array of objects, with every digit) or as a Markdown table. */
function resultText(result: Rows, format: Exclude<OutputFormat, 'csv'>): string {
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
