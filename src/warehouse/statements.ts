import { WarehouseError } from '../errors.ts'
import { literal, name as quoted } from './quote.ts'

/**
 * One file of `sql/`, read: `name` is the relation, `layer` the leading digit of the file name, `comment` what the
 * relation means, `columns` what each of its columns (of a macro: each parameter and column) means, and `kind` what
 * the body makes.
 */
export interface ViewFile {
  file: string
  name: string
  layer: number
  kind: 'view' | 'macro' | 'table macro'
  comment: string
  columns: ReadonlyMap<string, string>
  body: string
}

const fileName = /^(\d)-([a-z][a-z0-9]*(?:-[a-z0-9]+)*)\.sql$/
const columnLine = /^([a-z_][a-z0-9_]*): (.+)$/

/**
 * Reads the text of one file of `sql/`. It begins with a comment: first what the relation means, then, behind a
 * line `-- columns:`, one line `-- name: meaning` a column. Below it stands a query, which becomes a view, or a
 * whole `create or replace macro`.
 *
 * @throws {WarehouseError} when the file name or the comment does not have that form
 */
export function parseViewFile(file: string, text: string): ViewFile {
  const named = fileName.exec(file)
  if (!named) throw malformed(file, 'its name is not of the form 1-view-name.sql')
  const lines = text.split(/\r?\n/)
  const end = lines.findIndex((line) => !line.startsWith('--'))
  const header = lines.slice(0, end === -1 ? lines.length : end).map((line) => line.slice(2).trim())
  const body = lines.slice(header.length).join('\n').trim().replace(/;$/, '')
  const mark = header.indexOf('columns:')
  const comment = header.slice(0, mark === -1 ? header.length : mark).join(' ')
  if (comment === '') throw malformed(file, 'it does not begin with a comment that says what it means')
  if (body === '') throw malformed(file, 'it holds no SQL')
  const columns = new Map<string, string>()
  for (const line of mark === -1 ? [] : header.slice(mark + 1)) {
    const [, column, meaning] = columnLine.exec(line) ?? []
    if (column === undefined || meaning === undefined)
      throw malformed(file, `"${line}" is not "name: meaning"`)
    if (columns.has(column)) throw malformed(file, `column ${column} is described twice`)
    columns.set(column, meaning)
  }
  const name = named[2]!.replaceAll('-', '_')
  return { file, name, layer: Number(named[1]), kind: kindOf(file, name, body), comment, columns, body }
}

/** The statements that make one relation and its comments, in order. Each can run again. */
export function statementsOf({ name, kind, comment, columns, body }: ViewFile): string[] {
  const create = kind === 'view' ? `create or replace view ${quoted(name)} as\n${body}` : body
  const described = `comment on ${kind === 'table macro' ? 'macro table' : kind} ${quoted(name)} is ${literal(comment)}`
  if (kind !== 'view') return [create, described]
  const ofColumns = [...columns].map(
    ([column, meaning]) => `comment on column ${quoted(name)}.${quoted(column)} is ${literal(meaning)}`,
  )
  return [create, described, ...ofColumns]
}

function kindOf(file: string, name: string, body: string): ViewFile['kind'] {
  if (/^(with|select)\b/.test(body)) return 'view'
  const [, made, table] = /^create or replace macro (\w+)\s*\([^)]*\) as( table)?\b/.exec(body) ?? []
  if (made !== name) throw malformed(file, `it makes neither a view nor the macro ${name}`)
  return table ? 'table macro' : 'macro'
}

function malformed(file: string, reason: string): WarehouseError {
  return new WarehouseError(`sql/${file} cannot be used: ${reason}.`, {
    next: 'Compare it with sql/1-incident-times.sql.',
  })
}
