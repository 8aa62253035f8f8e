import { WarehouseError } from '../errors.ts'
import { quoteIdentifier, quoteLiteral } from './quote.ts'
import { parseRule, type Rule } from './rule-line.ts'

/** One file of `sql/`, or of a folder of a user's own, read. */
export interface ViewFile {
  /** Its path in messages, `sql/incidents/incident-times.sql`. */
  readonly file: string
  /** The relation or macro that it makes. */
  readonly name: string
  readonly kind: 'view' | 'macro' | 'table macro'
  /** What it means. */
  readonly comment: string
  readonly rules: readonly Rule[]
  /** What a metric answers when it is called without anything, for which it has a view too; null of all else. See metric-views.ts. */
  readonly question: string | null
  /** Columns that no two of its rows have equal; empty where there is one row, or nothing is said. */
  readonly key: readonly string[]
  /** What a macro takes; the text behind `:=` where it is one, which may name a relation. */
  readonly parameters: ReadonlyMap<string, string | null>
  /** What each of its columns (of a macro: each parameter and column) means. */
  readonly columns: ReadonlyMap<string, string>
  readonly body: string
  /** The body as it is stored in a file, where other clients read it: see `qualified`. */
  readonly stored: string
  /** What it asks, as one `select`, and the line of the file that this begins on. */
  readonly query: { readonly sql: string; readonly line: number }
}

const fileName = /^(?:[^/]+\/)*([a-z][a-z0-9]*(?:-[a-z0-9]+)*)\.sql$/
const columnLine = /^([a-z_][a-z0-9_]*): (.+)$/
const inheritedLine = /^(see [a-z_][a-z0-9_]*): ([a-z0-9_, ]+)$/

/**
 * Reads the text of one file of `sql/`. It begins with a comment: the meaning of the relation, for a metric `question: …?` and
 * `key: column, column`, and its rules. After a line `-- columns:` there is one line `-- name: meaning` for each column. Columns with
 * the meaning that they have in another relation are listed as `-- see other: name, name`. A line that begins with `--   ` continues
 * the one above. A query follows, which becomes a view, or a complete `create or replace macro`.
 * @param file its path in messages
 * @throws {WarehouseError} when the file name or the comment does not have that form
 */
export function parseViewFile(file: string, text: string): ViewFile {
  const named = fileName.exec(file)
  if (!named) throw malformed(file, 'its name is not of the form view-name.sql')
  const lines = text.split(/\r?\n/)
  const end = lines.findIndex((line) => !line.startsWith('--'))
  const head = lines.slice(0, end === -1 ? lines.length : end)
  const below = lines.slice(head.length)
  const body = below.join('\n').trim().replace(/;$/, '')
  const { columns, question, ...said } = headOf(file, head)
  if (body === '') throw malformed(file, 'it holds no SQL')
  const name = named[1]!.replaceAll('-', '_')
  const { kind, parameters, asked, before } = madeBy(file, name, body)
  const first = head.length + 1 + below.findIndex((line) => line.trim() !== '')
  const line = first + body.slice(0, before).split('\n').length - 1
  const query = { sql: kind === 'macro' ? `select ${asked}` : asked, line }
  if (question !== null && (kind !== 'table macro' || !isCalledWithout(body)))
    throw malformed(file, 'it has a question, and is no metric that can be called without anything')
  const made = { kind, parameters, body, stored: qualified(body), query }
  return { file, name, columns, question, ...said, ...made }
}

/** The same view with another body. */
export function withBody(file: ViewFile, body: string): ViewFile {
  return { ...file, body, stored: qualified(body), query: { ...file.query, sql: body } }
}

/** The head of a file, its lines with their dashes: what it means, its rules and columns. */
export function headOf(
  file: string,
  lines: readonly string[],
): Pick<ViewFile, 'comment' | 'question' | 'key' | 'rules' | 'columns'> {
  const entries: string[] = []
  for (const line of lines.map((one) => one.slice(2))) {
    if (/^ {3}/.test(line) && entries.length > 0) entries.push(`${entries.pop()} ${line.trim()}`)
    else entries.push(line.trim())
  }
  const mark = entries.indexOf('columns:')
  const all = entries.slice(0, mark === -1 ? entries.length : mark)
  const said = (word: string) => all.find((line) => line.startsWith(`${word}: `))?.slice(word.length + 2)
  const question = said('question') ?? null
  const key = said('key')?.split(', ') ?? []
  const above = all.filter((line) => !/^(question|key): /.test(line))
  const firstRule = above.findIndex((line) => /^rule\b[^.]*:/.test(line))
  const comment = above.slice(0, firstRule === -1 ? above.length : firstRule).join(' ')
  if (comment === '') throw malformed(file, 'it does not begin with a comment that says what it means')
  const rules = (firstRule === -1 ? [] : above.slice(firstRule)).map((line) => {
    const rule = parseRule(line)
    if (!rule) throw malformed(file, `"${line}" is not "rule: Term: sentence" or "rule: see other"`)
    return rule
  })
  const columns = new Map<string, string>()
  for (const line of mark === -1 ? [] : entries.slice(mark + 1)) {
    const [, see, names = ''] = inheritedLine.exec(line) ?? []
    const [, own, text] = columnLine.exec(line) ?? []
    const meaning = see ?? text
    if (meaning === undefined) throw malformed(file, `"${line}" is not "name: meaning"`)
    for (const column of see === undefined ? [own!] : names.split(', ')) {
      if (columns.has(column)) throw malformed(file, `column ${column} is described twice`)
      columns.set(column, meaning)
    }
  }
  const unknown = key.find((column) => !columns.has(column))
  if (unknown !== undefined) throw malformed(file, `its key names ${unknown}, which is no column of it`)
  return { comment, question, key, rules, columns }
}

/** The same files with the meanings of columns that they have from other relations. @throws WarehouseError if one has no such column */
export function withInherited(files: readonly ViewFile[], others: readonly ViewFile[] = []): ViewFile[] {
  const library = new Map([...others, ...files].map((file) => [file.name, file]))
  const meaningOf = (file: ViewFile, column: string, path: readonly string[]): string => {
    const meaning = file.columns.get(column)
    const other = library.get(/^see (\w+)$/.exec(meaning ?? '')?.[1] ?? '')
    if (meaning !== undefined && !/^see \w+$/.test(meaning)) return meaning
    if (other === undefined || path.includes(other.name))
      throw malformed(path[0]!, `nothing says what its column ${column} means`)
    return meaningOf(other, column, [...path, other.name])
  }
  return files.map((file) => ({
    ...file,
    columns: new Map(
      [...file.columns.keys()].map((column) => [column, meaningOf(file, column, [file.file])]),
    ),
  }))
}

/** A macro up to its body; of its parameters also texts, calls and lists that stand behind `:=`. */
const macro = /^create or replace (?:temp )?macro (\w+)\s*\(((?:[^()']|'[^']*'|\([^()]*\))*)\) as( table)?\b/
const parameter = /(\w+)(?:\s*:=\s*(?:'([^']*)'|(?:[^,()'[\]]|'[^']*'|\([^()]*\)|\[[^\]]*\])+))?/g

/** Whether every parameter of a macro has a default. */
const isCalledWithout = (body: string) =>
  [...(macro.exec(body)?.[2] ?? '').matchAll(parameter)].every(([one]) => one.includes(':='))

interface Made extends Pick<ViewFile, 'name' | 'kind' | 'parameters'> {
  /** The text of its query, or of its expression. */
  readonly asked: string
  /** How much of the text stands before it. */
  readonly before: number
}

/** What a `create or replace macro` makes; undefined of any other text. */
export function macroOf(text: string): Made | undefined {
  const [start, name, given = '', table] = macro.exec(text) ?? []
  if (start === undefined || name === undefined) return undefined
  const parameters = [...given.matchAll(parameter)].map(
    ([, one, text]) => [one!.toLowerCase(), text ?? null] as const,
  )
  return {
    name,
    kind: table ? 'table macro' : 'macro',
    parameters: new Map(parameters),
    asked: text.slice(start.length),
    before: start.length,
  }
}

function madeBy(file: string, name: string, body: string): Made {
  if (/^(with|select|from)\b/i.test(body))
    return { name, kind: 'view', parameters: new Map(), asked: body, before: 0 }
  const made = macroOf(body)
  if (made?.name !== name) throw malformed(file, `it makes neither a view nor the macro ${name}`)
  return made
}

/**
 * `runs as (select * from runs)` names the relation of its own file: before 1.4 DuckDB takes it for the CTE itself. Definitions of
 * a session do not, since they put themselves before those of the file.
 */
function qualified(body: string): string {
  return body.replace(/^(\s*(\w+) as (?:not materialized )?\(select [^()]*? from )(?=\2[\s)])/gm, '$1main.')
}

/** The statements that make one relation and its comments, in order. Each can run again. */
export function statementsOf({ name, kind, comment, columns, stored }: ViewFile): string[] {
  const create = kind === 'view' ? `create or replace view ${quoteIdentifier(name)} as\n${stored}` : stored
  const described = `comment on ${kind === 'table macro' ? 'macro table' : kind} ${quoteIdentifier(name)} is ${quoteLiteral(comment)}`
  if (kind !== 'view') return [create, described]
  const ofColumns = [...columns].map(
    ([column, meaning]) =>
      `comment on column ${quoteIdentifier(name)}.${quoteIdentifier(column)} is ${quoteLiteral(meaning)}`,
  )
  return [create, described, ...ofColumns]
}

/** The statement that makes it for one session, before what the file holds under its name. */
export function temporary({ name, kind, body }: ViewFile): string {
  return kind === 'view'
    ? `create or replace temp view ${quoteIdentifier(name)} as\n${body}`
    : body.replace(/^create or replace macro/, 'create or replace temp macro')
}

function malformed(file: string, reason: string): WarehouseError {
  return new WarehouseError(`${file} cannot be used: ${reason}.`, {
    next: 'Compare it with sql/incidents/incident-times.sql.',
  })
}
