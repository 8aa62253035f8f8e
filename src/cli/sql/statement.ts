import type { Config } from '../../config/config.ts'
import { stringifyJson } from '../../contract/json.ts'
import { cleanForMarkdown, escapeActing } from '../../render/sanitize-text.ts'
import type { Cell } from '../../warehouse/read/cell.ts'
import type { Piece } from '../../warehouse/read/rows.ts'
import { objectsOf } from '../../warehouse/read/rows-to-objects.ts'
import type { StatementProcess } from '../../warehouse/worker/statement-process.ts'
import type { Context } from '../context.ts'
import { csvWriter } from '../csv-writer.ts'
import { CUT, textTable } from '../text-table.ts'

export const outputFormats = ['table', 'expanded', 'csv', 'json', 'markdown'] as const

export type OutputFormat = (typeof outputFormats)[number]

/** Limits of the table format, which keeps all rows in memory to compute the column widths. */
const ROWS_SHOWN = 1_000
const CHARACTERS_SHOWN = 16_000_000

export interface StatementRun {
  readonly statements: StatementProcess
  /** Maximum run time of the statement. */
  readonly seconds: number
  readonly format: OutputFormat
  readonly signal: AbortSignal
  readonly escapeFormulas?: boolean | undefined
  readonly at?: bigint | Date | undefined
}

export const isEmpty = (sql: string) => /^[\s;]*$/.test(sql)

/** Runs one statement on the published data and prints its rows. @throws WarehouseError */
export async function runStatement(
  context: Context,
  { warehouse, settings, reporting: { memoryLimit } }: Config,
  sql: string,
  run: StatementRun,
): Promise<void> {
  const { seconds, format, signal, at } = run
  const limits = { signal, timeoutMs: seconds * 1_000, warn: context.console.warn }
  const pieces = run.statements.stream({ warehouse, settings, memoryLimit, at, sql }, limits)
  for await (const part of writers[format](pieces, context, run)) await context.console.write(part)
}

type Pieces = AsyncIterable<Piece>

/** Writers by format. They remove or escape harmful characters, which text from the service can contain. */
const writers: Record<
  OutputFormat,
  (pieces: Pieces, context: Context, run: StatementRun) => AsyncGenerator<string>
> = {
  async *csv(pieces, _, { escapeFormulas }) {
    const write = csvWriter(escapeFormulas)
    for await (const piece of pieces) yield write(piece)
  },

  /** Writes an array of objects. Numbers keep all digits. */
  async *json(pieces) {
    let before = '['
    for await (const piece of pieces) {
      for (const object of objectsOf(piece)) {
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
        'Truncated to the terminal width. --format expanded (\\format expanded at the prompt) shows one column per line.',
      )
    }
    if (isCut) console.note(MORE_ROWS)
  },

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

const MORE_ROWS =
  'More rows exist. --format csv, json or markdown (\\format at the prompt) writes all of them.'

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
