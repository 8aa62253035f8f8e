import { WarehouseError } from '../errors.ts'
import { quoteIdentifier } from './quote.ts'
import { parseRule, type Rule } from './rule-line.ts'
import { commentOn } from './tables.ts'

/** A parsed file from `sql/` or from the user’s SQL folder. */
export interface ViewFile {
  /** Path to show in errors, such as `sql/incidents/incident-times.sql`. */
  readonly file: string
  readonly name: string
  readonly kind: 'view' | 'macro' | 'table macro'
  readonly comment: string
  readonly rules: readonly Rule[]
  /** The question that a metric answers without arguments. A metric with a question also becomes a view. */
  readonly question: string | null
  /** Columns that identify a row. Empty if the relation has one row, or declares no key. */
  readonly key: readonly string[]
  /** Parameters of a macro. Includes a default only if it is a string, because it may be the name of a relation. */
  readonly parameters: ReadonlyMap<string, string | null>
  /** Meaning of each column and each macro parameter. */
  readonly columns: ReadonlyMap<string, string>
  readonly body: string
  /** The body as it is stored in a warehouse file, with the names that `qualified` has changed. */
  readonly stored: string
  /** The definition as one `select`, and the line of the file where that `select` starts. */
  readonly query: { readonly sql: string; readonly line: number }
}

const fileName = /^(?:[^/]+\/)*([a-z][a-z0-9]*(?:-[a-z0-9]+)*)\.sql$/
const columnLine = /^([a-z_][a-z0-9_]*): (.+)$/
const inheritedLine = /^(see [a-z_][a-z0-9_]*): ([a-z0-9_, ]+)$/

/**
 * Parses one SQL file. Its comment header contains the meaning and the rules. The header of a metric also contains
 * `question: …?` and `key: column, column`. After `-- columns:`, each line is `-- name: meaning`. A line `-- see other:
 * name, name` takes the meanings of these columns from the relation `other`. A line that starts with `--  ` continues
 * the previous line. The SQL below the header is the query of a view, or a complete `create or replace macro`.
 * @param file path to show in errors
 * @throws WarehouseError if the file name or the header is malformed
 */
export function parseViewFile(file: string, text: string): ViewFile {
  const named = fileName.exec(file)
  if (!named) throw malformed(file, 'its name does not have the form view-name.sql')
  const lines = text.split(/\r?\n/)
  const end = lines.findIndex((line) => !line.startsWith('--'))
  const head = lines.slice(0, end === -1 ? lines.length : end)
  const below = lines.slice(head.length)
  const body = below.join('\n').trim().replace(/;$/, '')
  const { columns, question, ...said } = headOf(file, head)
  if (body === '') throw malformed(file, 'it contains no SQL')
  const name = named[1]!.replaceAll('-', '_')
  const { kind, parameters, asked, before } = madeBy(file, name, body)
  const first = head.length + 1 + below.findIndex((line) => line.trim() !== '')
  const line = first + body.slice(0, before).split('\n').length - 1
  const query = { sql: kind === 'macro' ? `select ${asked}` : asked, line }
  if (question !== null && (kind !== 'table macro' || !isCalledWithout(body)))
    throw malformed(file, 'it has a question, but is not a metric that can be called without arguments')
  const made = { kind, parameters, body, stored: qualified(body), query }
  return { file, name, columns, question, ...said, ...made }
}

export function withBody(file: ViewFile, body: string): ViewFile {
  return { ...file, body, stored: qualified(body), query: { ...file.query, sql: body } }
}

/** Parses a comment header. @param lines lines of the header, with the dashes at the start of each line */
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
  if (comment === '') throw malformed(file, 'it does not begin with a comment that describes it')
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
  if (unknown !== undefined)
    throw malformed(file, `its key contains ${unknown}, which is not one of its columns`)
  return { comment, question, key, rules, columns }
}

/** Resolves a column's meaning `see other` to the meaning of the same column in `other`. @throws WarehouseError */
export function withInherited(files: readonly ViewFile[], others: readonly ViewFile[] = []): ViewFile[] {
  const library = new Map([...others, ...files].map((file) => [file.name, file]))
  const meaningOf = (file: ViewFile, column: string, path: readonly string[]): string => {
    const meaning = file.columns.get(column)
    const other = library.get(/^see (\w+)$/.exec(meaning ?? '')?.[1] ?? '')
    if (meaning !== undefined && !/^see \w+$/.test(meaning)) return meaning
    if (other === undefined || path.includes(other.name))
      throw malformed(path[0]!, `its column ${column} has no description`)
    return meaningOf(other, column, [...path, other.name])
  }
  return files.map((file) => ({
    ...file,
    columns: new Map(
      [...file.columns.keys()].map((column) => [column, meaningOf(file, column, [file.file])]),
    ),
  }))
}

/** Matches the beginning of a macro, up to its body. A default value can be a string, a function call or a list. */
const macro = /^create or replace (?:temp )?macro (\w+)\s*\(((?:[^()']|'[^']*'|\([^()]*\))*)\) as( table)?\b/
const parameter = /(\w+)(?:\s*:=\s*(?:'([^']*)'|(?:[^,()'[\]]|'[^']*'|\([^()]*\)|\[[^\]]*\])+))?/g

const isCalledWithout = (body: string) =>
  [...(macro.exec(body)?.[2] ?? '').matchAll(parameter)].every(([one]) => one.includes(':='))

interface Made extends Pick<ViewFile, 'name' | 'kind' | 'parameters'> {
  /** The query, or the expression of a scalar macro. */
  readonly asked: string
  /** Length of the text before the query. */
  readonly before: number
}

/** Parses a `create or replace macro`. Returns undefined for any other text. */
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
  if (made?.name !== name) throw malformed(file, `it defines neither a view nor the macro ${name}`)
  return made
}

/**
 * Adds `main.` to a relation inside a CTE of the same name, because DuckDB before 1.4 would read the CTE itself. In a
 * session, `main.` would bypass temporary relations, so only stored definitions contain it.
 */
function qualified(body: string): string {
  return body.replace(/^(\s*(\w+) as (?:not materialized )?\(select [^()]*? from )(?=\2[\s)])/gm, '$1main.')
}

/** Returns the statements that create or replace a definition in a file, with its comments. */
export function statementsOf({ name, kind, comment, columns, stored }: ViewFile): string[] {
  if (kind !== 'view') return [stored, ...commentOn(sqlKind(kind), name, comment, [])]
  const described = Array.from(columns, ([name, meaning]) => ({ name, type: '', meaning }))
  return [
    `create or replace view ${quoteIdentifier(name)} as\n${stored}`,
    ...commentOn(kind, name, comment, described),
  ]
}

export const sqlKind = (kind: ViewFile['kind']) => (kind === 'table macro' ? 'macro table' : kind)

/** Returns a statement that creates a definition in a session, where it hides the definition stored in the file. */
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
