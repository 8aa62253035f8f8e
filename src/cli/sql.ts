import { readFileSync } from 'node:fs'
import { loadConfig } from '../config/config.ts'
import { parseDuration } from '../config/duration.ts'
import { stringifyJson } from '../contract/json.ts'
import { ConfigError, WarehouseError } from '../errors.ts'
import { cleanForMarkdown, escapeActing } from '../render/clean.ts'
import { toCsv } from '../render/to-csv.ts'
import type { Cell } from '../warehouse/read/cell.ts'
import { openReader, type Piece } from '../warehouse/read/reader.ts'
import type { Context } from './context.ts'
import { textTable } from './text-table.ts'

type OutputFormat = 'table' | 'csv' | 'json' | 'markdown'

export interface SqlFlags {
  readonly format?: OutputFormat
  readonly json?: boolean
  /** `90s`, `10m`. */
  readonly timeout?: string
}

/** Rows of a table for people, whose columns are as wide as their widest cell, and the characters that they hold. */
const ROWS_SHOWN = 1_000
const CHARACTERS_SHOWN = 16_000_000

/** `faultline sql`: runs one read-only statement on the published copy and prints the rows as they come. */
export async function sqlCommand(
  context: Context,
  query: string | undefined,
  flags: SqlFlags,
): Promise<number> {
  const config = loadConfig(context.overrides)
  const seconds = secondsOf(flags.timeout ?? '10m')
  const text = query === undefined || query === '-' ? readInput() : query
  if (text.trim() === '') {
    throw new ConfigError('There is no query.', {
      next: `Write one: faultline sql "select * from incident_times limit 5"`,
    })
  }
  const ending = new AbortController()
  const reader = await openReader(config.warehouse, {
    memoryLimit: config.reporting.memoryLimit,
    settings: config.settings,
    signal: AbortSignal.any([context.signal, ending.signal]),
  })
  const timer = setTimeout(() => ending.abort(tooLong(seconds)), seconds * 1_000)
  try {
    const format = flags.json ? 'json' : (flags.format ?? 'table')
    for await (const part of writers[format](reader.stream(text), context)) {
      await context.console.write(part)
    }
    return 0
  } finally {
    clearTimeout(timer)
    reader.close()
  }
}

function secondsOf(text: string): number {
  const seconds = parseDuration(text)
  // Timers of Node reach 24 days.
  if (seconds !== undefined && seconds > 0 && seconds <= 86_400) return seconds
  throw new ConfigError(`--timeout: "${text}" is not a time up to a day.`, { next: 'Write 90s, 10m or 2h.' })
}

function tooLong(seconds: number): WarehouseError {
  return new WarehouseError(`The query did not end within ${seconds} s.`, {
    next: 'Ask for less, or give it more time with --timeout, such as --timeout 1h.',
  })
}

/** Standard input, unless it is a terminal. */
function readInput(): string {
  return process.stdin.isTTY ? '' : readFileSync(0, 'utf8')
}

type Pieces = AsyncIterable<Piece>

/** A result as text, a part at a time. No text of the service acts in it, on a terminal or where it is pasted. */
const writers: Record<OutputFormat, (pieces: Pieces, context: Context) => AsyncGenerator<string>> = {
  async *csv(pieces) {
    let header = ''
    for await (const { columns, rows } of pieces) {
      header ||= toCsv({ columns, rows: [] } as never)
      const text = toCsv({ columns, rows } as never)
      yield rows.length === 0 ? header : text.slice(header.length)
    }
  },

  /** An array of objects, with every digit. */
  async *json(pieces) {
    let before = '['
    for await (const { columns, rows } of pieces) {
      for (const row of rows) {
        const object = Object.fromEntries(columns.map(({ name }, index) => [name, row[index]!]))
        yield before + escapeActing(stringifyJson(object))
        before = ','
      }
    }
    yield `${before === '[' ? '[' : ''}]\n`
  },

  async *markdown(pieces) {
    const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`
    for await (const { columns, rows } of pieces) {
      if (rows.length === 0)
        yield line(columns.map(({ name }) => cleanForMarkdown(name))) + line(columns.map(() => '---'))
      yield rows.map((row) => line(row.map((cell) => cleanForMarkdown(cellText(cell))))).join('')
    }
  },

  async *table(pieces, { console }) {
    let columns: Piece['columns'] = []
    const rows: string[][] = []
    let characters = 0
    let isCut = false
    for await (const piece of pieces) {
      columns = piece.columns
      for (const row of piece.rows) {
        isCut = rows.length === ROWS_SHOWN || characters > CHARACTERS_SHOWN
        if (isCut) break
        const cells = row.map(cellText)
        characters += cells.reduce((sum, cell) => sum + cell.length, 0)
        rows.push(cells)
      }
      if (isCut) break
    }
    const header = columns.map(({ name }) => name)
    const numeric = columns.map(({ type }) => /INT|DOUBLE|DECIMAL|FLOAT/.test(type))
    const count = `${rows.length.toLocaleString('en')} ${rows.length === 1 ? 'row' : 'rows'}`
    yield [
      ...textTable([header, header.map((name) => '─'.repeat(name.length)), ...rows], numeric),
      '',
      isCut ? `the first ${count}` : count,
      '',
    ].join('\n')
    if (isCut) console.note(`There are more rows: --format csv, json or markdown writes them all.`)
  },
}

function cellText(value: Cell): string {
  if (value === null) return ''
  if (value instanceof Date) return value.toISOString().replace('.000Z', 'Z')
  return typeof value === 'object' ? stringifyJson(value) : String(value)
}
