import type { DuckDBConnection, DuckDBPreparedStatement } from '@duckdb/node-api'
import { StatementType } from '../../definitions/duckdb.ts'
import type { Tree } from '../../definitions/parse-tree.ts'
import { WarehouseError } from '../../errors.ts'
import { refuseWhatIsNotListed } from './allowed.ts'

export interface Guarded {
  readonly connection: DuckDBConnection
  /** Names of the macros of `sql/` and of custom SQL. `allowed.ts` lists the other allowed functions. */
  readonly macros: ReadonlySet<string>
}

/** A statement that passed the check. */
export interface Checked {
  readonly text: string
  /** Text before the select, such as `explain analyze `, or empty. */
  readonly before: string
}

/** Texts that passed the check. They are remembered because reports run the same texts again and again. */
const checkedBefore = new Set<string>()
const CHECKED_MOST = 1_000

/** Accepts one `select`, or `explain` of one, that uses only allowed names. @throws WarehouseError otherwise */
export async function check(on: Guarded, sql: string): Promise<Checked> {
  const { before, text } = splitExplain(sql)
  if (checkedBefore.has(text)) return { text, before }
  // A NUL is refused, because DuckDB would check only the text before it.
  if (text.includes('\0'))
    throw new WarehouseError('The text contains a NUL character.', { next: 'Remove it.' })
  const isSame = await refuseWhatIsNotListed(await treeOf(on.connection, text), on)
  if (checkedBefore.size >= CHECKED_MOST) checkedBefore.clear()
  if (isSame) checkedBefore.add(text)
  return { text, before }
}

/** Matches strings as well as numbers in JSON, so that digits in strings are skipped. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/** Returns a parse tree. Its numbers are strings that begin with a NUL, so that no digits are lost. */
export async function serialize(on: Guarded, sql: string): Promise<Tree> {
  const { before } = await check(on, sql)
  if (before !== '') throw notReading()
  const found = await on.connection.runAndReadAll('select json_serialize_sql($sql::varchar)', { sql })
  const json = String(found.getRows()[0]![0])
  const marked = json.replace(TOKEN, (token) => (token.startsWith('"') ? token : `"\\u0000${token}"`))
  return JSON.parse(marked).statements[0]
}

/** Parses a statement. @throws WarehouseError, or DuckDB's error for a syntax error */
async function treeOf(connection: DuckDBConnection, text: string): Promise<unknown> {
  const found = await connection.runAndReadAll('select json_serialize_sql($text::varchar)', { text })
  const tree = JSON.parse(String(found.getRows()[0]![0]))
  if (tree.error) {
    if (tree.error_type === 'parser') throw parserError(text, tree)
    if (!/\bpivot\b/i.test(text)) throw notReading()
    const what = '`pivot` needs a second statement to find its columns, but only one is allowed.'
    throw new WarehouseError(what, {
      next: "Name the values that become columns: pivot incidents on incident_severity in ('Critical', 'Warning') using count(*).",
    })
  }
  const { length } = tree.statements
  if (length === 1) return tree.statements[0]
  throw new WarehouseError(`Expected one statement, but this text has ${length}.`, {
    next: length === 0 ? 'Write one.' : 'Split it, or remove what follows the first semicolon.',
  })
}

/** Formats a syntax error as DuckDB does, with the line of the error. */
function parserError(text: string, { error_message: message, position }: Record<string, string>): Error {
  const before = Buffer.from(text).subarray(0, Number(position)).toString().split('\n')
  const start = `LINE ${before.length}: `
  const line = text.split('\n')[before.length - 1] ?? ''
  const caret = ' '.repeat(start.length + before.at(-1)!.length)
  return new Error(`Parser Error: ${message}${position ? `\n\n${start}${line}\n${caret}^` : ''}`)
}

export async function compile(
  connection: DuckDBConnection,
  { text, before }: Checked,
): Promise<DuckDBPreparedStatement> {
  const statement = await connection.prepare(before + text)
  const type = before === '' ? StatementType.SELECT : StatementType.EXPLAIN
  if (statement.statementType !== type) throw notReading()
  return statement
}

/** Compiles a checked statement with a limit of rows, because DuckDB would hold the entire result in memory. */
export async function compileAtMost(
  rows: number,
  connection: DuckDBConnection,
  checked: Checked,
): Promise<DuckDBPreparedStatement> {
  if (checked.before === '') {
    const limited = `from (${withoutEnd(checked.text)}\n) limit ${rows}`
    // `compile` below throws the same error, with the line of the original statement.
    const statement = await connection.prepare(limited).catch(() => undefined)
    const names = Array.from({ length: statement?.columnCount ?? 0 }, (_, index) =>
      statement!.columnName(index),
    )
    // In a subquery, DuckDB renames the second of two equal column names. Without the limit, names stay unchanged.
    if (statement && !names.some((name) => /_\d+$/.test(name))) return statement
    statement?.destroySync()
  }
  return compile(connection, checked)
}

/** Removes the semicolon at the end, so that the statement can be nested. */
export function withoutEnd(sql: string): string {
  return sql.replace(/[\s;]+$/, '')
}

/** Separates `explain` from the select, because `json_serialize_sql` accepts only a select. */
function splitExplain(sql: string): Checked {
  const found =
    /^(?:\s|--[^\n]*\n)*explain(\s+analyze\b|\s*\(\s*(?:analyze|format)\b[\w\s,]*\)|(?=[\s(]))(.*)$/is.exec(
      sql,
    )
  return found ? { before: `explain${found[1]} `, text: found[2]! } : { before: '', text: sql }
}

function notReading(): WarehouseError {
  return new WarehouseError('Only read-only statements are allowed.', {
    next: 'Begin the query with `select`, `with` or `from`.',
  })
}
