import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { extname } from 'node:path'
import { type Config, loadConfig } from '../config/config.ts'
import { parseDuration } from '../config/duration.ts'
import { stringifyJson } from '../contract/json.ts'
import { renameDurably } from '../effects.ts'
import { ConfigError, WarehouseError } from '../errors.ts'
import { cleanForMarkdown, escapeActing } from '../render/clean.ts'
import { toCsv } from '../render/to-csv.ts'
import type { Cell } from '../warehouse/read/cell.ts'
import { openReader, type Piece } from '../warehouse/read/reader.ts'
import type { Console } from './console.ts'
import type { Context } from './context.ts'
import { CUT, textTable } from './text-table.ts'

export type OutputFormat = 'table' | 'expanded' | 'csv' | 'json' | 'markdown'

export interface SqlFlags {
  readonly format?: OutputFormat
  readonly json?: boolean
  /** `90s`, `10m`. */
  readonly timeout?: string
  /** File to write to instead. */
  readonly output?: string
}

/** Rows of a table for people, whose columns are as wide as their widest cell, and the characters that they hold. */
const ROWS_SHOWN = 1_000
const CHARACTERS_SHOWN = 16_000_000

/**
 * `faultline sql`: runs one read-only statement on the published copy and prints the rows as they come; on a terminal without
 * a statement, a prompt.
 */
export async function sqlCommand(
  context: Context,
  query: string | undefined,
  flags: SqlFlags,
): Promise<number> {
  const config = loadConfig(context.overrides)
  const seconds = secondsOf(flags.timeout ?? '10m')
  const format = flags.json ? 'json' : (flags.format ?? formatOf(flags.output))
  if (query === undefined && process.stdin.isTTY && process.stdout.isTTY && flags.output === undefined) {
    const { sqlPrompt } = await import('./sql-prompt.ts')
    return sqlPrompt(context, config, { seconds, format })
  }
  const text = query === undefined || query === '-' ? readInput() : query
  if (text.trim() === '') {
    throw new ConfigError('There is no query.', {
      next: `Write one: faultline sql "select * from incident_times limit 5"`,
    })
  }
  const run = { seconds, format, signal: context.signal }
  if (flags.output === undefined) await runStatement(context, config, text, run)
  else
    await intoFile(
      flags.output,
      (console) => runStatement({ ...context, console }, config, text, run),
      context,
    )
  return 0
}

/** How a statement is run: within so many seconds, until the signal, in this format. */
export interface StatementRun {
  readonly seconds: number
  readonly format: OutputFormat
  readonly signal: AbortSignal
}

/** Runs one statement on what is published now and prints its rows. @throws WarehouseError */
export async function runStatement(
  context: Context,
  config: Config,
  text: string,
  run: StatementRun,
): Promise<void> {
  const { seconds, format, signal } = run
  const ending = new AbortController()
  const reader = await openReader(config.warehouse, {
    memoryLimit: config.reporting.memoryLimit,
    settings: config.settings,
    signal: AbortSignal.any([signal, ending.signal]),
  })
  const timer = setTimeout(() => ending.abort(tooLong(seconds)), seconds * 1_000)
  try {
    for await (const part of writers[format](reader.stream(text), context)) {
      await context.console.write(part)
    }
  } finally {
    clearTimeout(timer)
    reader.close()
  }
}

/** Writes what a console is given into a file, which appears when it is complete. */
async function intoFile(
  path: string,
  act: (console: Console) => Promise<void>,
  { console }: Context,
): Promise<void> {
  const part = `${path}.${process.pid}.part`
  try {
    const file = openSync(part, 'wx')
    try {
      await act({ ...console, screenWidth: undefined, write: async (text) => void writeSync(file, text) })
    } finally {
      closeSync(file)
    }
    renameDurably(part, path)
  } catch (error) {
    rmSync(part, { force: true })
    throw error
  }
  console.note(`Wrote ${path}`)
}

/** By the end of a file's name; a table for people otherwise. */
function formatOf(file: string | undefined): OutputFormat {
  const formats: Record<string, OutputFormat> = { '.csv': 'csv', '.json': 'json', '.md': 'markdown' }
  return (file !== undefined && formats[extname(file).toLowerCase()]) || 'table'
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
    const { columns, rows, count, isCut } = await shownOf(pieces)
    const header = columns.map(({ name }) => name)
    const numeric = columns.map(({ type }) => /INT|DOUBLE|DECIMAL|FLOAT/.test(type))
    const lines = [header, header.map((name) => '─'.repeat(name.length)), ...rows]
    const table = textTable(lines, numeric, console.screenWidth)
    yield [...table, '', count, ''].join('\n')
    if (table.some((line) => line.endsWith(CUT))) {
      console.note(
        'Cut to the width of the terminal: --format expanded (\\x at the prompt) shows a column a line.',
      )
    }
    if (isCut) console.note(MORE_ROWS)
  },

  /** One column a line. */
  async *expanded(pieces, { console }) {
    const { columns, rows, count, isCut } = await shownOf(pieces)
    const names = columns.map(({ name }) => name)
    for (const [index, row] of rows.entries()) {
      yield [
        `─ row ${index + 1} ─`,
        ...textTable(names.map((name, column) => [name, row[column]!])),
        '',
        '',
      ].join('\n')
    }
    yield `${count}\n`
    if (isCut) console.note(MORE_ROWS)
  },
}

const MORE_ROWS = 'There are more rows: --format csv, json or markdown writes them all.'

/** As many rows as are shown to people, as texts. */
async function shownOf(pieces: Pieces) {
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
  const count = `${rows.length.toLocaleString('en')} ${rows.length === 1 ? 'row' : 'rows'}`
  return { columns, rows, isCut, count: isCut ? `the first ${count}` : count }
}

function cellText(value: Cell): string {
  if (value === null) return ''
  if (value instanceof Date) return value.toISOString().replace('.000Z', 'Z')
  return typeof value === 'object' ? stringifyJson(value) : String(value)
}
