import { readdirSync, readFileSync } from 'node:fs'
import { WarehouseError } from '../../errors.ts'
import { inPackage } from '../../package-folder.ts'
import { literal, name as quoted } from '../quote.ts'

/** What the views need of a connection: run statements, with semicolons between them. */
export interface Statements {
  run(sql: string): Promise<unknown>
}

const sqlFolder = inPackage('sql/')

/**
 * The files in the folders of `sql/` (or of another folder), in an order in which they can be made: what a body names comes
 * before it.
 *
 * @throws {WarehouseError} when the folder cannot be read, or a file in it is malformed or undocumented
 */
export function viewFiles(folder: URL = sqlFolder): ViewFile[] {
  const files = namesIn(folder).map((file) =>
    parseViewFile(file, readFileSync(new URL(file, folder), 'utf8')),
  )
  const byName = new Map<string, string>()
  for (const { file, name } of files) {
    const other = byName.get(name)
    if (other)
      throw new WarehouseError(`sql/${other} and sql/${file} both make ${name}.`, { next: 'Rename one.' })
    byName.set(name, file)
  }
  return inOrder(files)
}

/** Each after those that its body names; by name where nothing else decides. */
function inOrder(files: readonly ViewFile[]): ViewFile[] {
  const sorted = [...files].sort((a, b) => (a.name < b.name ? -1 : 1))
  const byName = new Map(sorted.map((file) => [file.name, file]))
  const seen = new Set<ViewFile>()
  const order: ViewFile[] = []
  const visit = (file: ViewFile) => {
    if (seen.has(file)) return
    seen.add(file)
    for (const word of wordsOf(file.body)) {
      const named = byName.get(word)
      if (named) visit(named)
    }
    order.push(file)
  }
  for (const file of sorted) visit(file)
  return order
}

function wordsOf(body: string): Set<string> {
  return new Set(body.replace(/--.*/g, '').match(/\b[a-z_][a-z0-9_]*\b/g))
}

/**
 * Makes or remakes every view and macro with its comments, in one transaction of its own: all of them or none. The
 * tables must exist; they may be empty. Run it again whenever a table grew a column.
 *
 * @throws {WarehouseError} that names the file whose SQL failed
 */
export async function applyViews(
  connection: Statements,
  files: readonly ViewFile[] = viewFiles(),
): Promise<void> {
  await inTransaction(connection, async () => {
    for (const file of files) await make(connection, file)
  })
}

/** Does all of it or nothing. */
export async function inTransaction(connection: Statements, act: () => Promise<unknown>): Promise<void> {
  await connection.run('begin transaction')
  try {
    await act()
    await connection.run('commit')
  } catch (error) {
    // A commit that failed has rolled back already. The first error is the one to report.
    await connection.run('rollback').catch(() => undefined)
    throw error
  }
}

async function make(connection: Statements, view: ViewFile): Promise<void> {
  try {
    await connection.run(statementsOf(view).join('\n;\n'))
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new WarehouseError(`sql/${view.file} failed: ${reason}`, {
      cause,
      next: 'Correct the file; until then no view was changed.',
    })
  }
}

function namesIn(folder: URL): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.sql'))
  } catch (cause) {
    throw new WarehouseError(`The folder of views ${folder.pathname} cannot be read.`, {
      cause,
      next: 'Install Faultline again: sql/ belongs beside dist/.',
    })
  }
}

/**
 * One file of `sql/`, read: `file` is its path in the folder, `name` the relation, `comment` what the relation means,
 * `columns` what each of its columns (of a macro: each parameter and column) means, `kind` what the body makes, and
 * `parameters` the names a macro takes.
 */
interface ViewFile {
  file: string
  name: string
  kind: 'view' | 'macro' | 'table macro'
  comment: string
  parameters: readonly string[]
  columns: ReadonlyMap<string, string>
  body: string
  /** The body as it is stored in a file, where other clients read it: see `qualified`. */
  stored: string
}

const fileName = /^(?:[a-z-]+\/)*([a-z][a-z0-9]*(?:-[a-z0-9]+)*)\.sql$/
const columnLine = /^([a-z_][a-z0-9_]*): (.+)$/

/**
 * Reads the text of one file of `sql/`. It begins with a comment: first what the relation means, then, behind a
 * line `-- columns:`, one line `-- name: meaning` a column. Below it stands a query, which becomes a view, or a
 * complete `create or replace macro`.
 *
 * @throws {WarehouseError} when the file name or the comment does not have that form
 */
export function parseViewFile(file: string, text: string): ViewFile {
  const named = fileName.exec(file)
  if (!named) throw malformed(file, 'its name is not of the form view-name.sql')
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
  const name = named[1]!.replaceAll('-', '_')
  return {
    file,
    name,
    ...madeBy(file, name, body),
    comment,
    columns,
    body,
    stored: qualified(body),
  }
}

/** The statements that make one relation and its comments, in order. Each can run again. */
function statementsOf({ name, kind, comment, columns, stored }: ViewFile): string[] {
  const create = kind === 'view' ? `create or replace view ${quoted(name)} as\n${stored}` : stored
  const described = `comment on ${kind === 'table macro' ? 'macro table' : kind} ${quoted(name)} is ${literal(comment)}`
  if (kind !== 'view') return [create, described]
  const ofColumns = [...columns].map(
    ([column, meaning]) => `comment on column ${quoted(name)}.${quoted(column)} is ${literal(meaning)}`,
  )
  return [create, described, ...ofColumns]
}

/**
 * `runs as (select * from runs)` names the relation of its own file: before 1.4 DuckDB takes it for the CTE itself. Definitions of
 * a session do not, since they put themselves before those of the file.
 */
function qualified(body: string): string {
  return body.replace(/^(\s*(\w+) as (?:not materialized )?\(select [^()]*? from )(?=\2[\s)])/gm, '$1main.')
}

function madeBy(file: string, name: string, body: string): Pick<ViewFile, 'kind' | 'parameters'> {
  if (/^(with|select)\b/.test(body)) return { kind: 'view', parameters: [] }
  const [, made, given = '', table] =
    /^create or replace macro (\w+)\s*\(([^)]*)\) as( table)?\b/.exec(body) ?? []
  if (made !== name) throw malformed(file, `it makes neither a view nor the macro ${name}`)
  const parameters = given.split(',').flatMap((one) => /^\s*(\w+)/.exec(one)?.[1] ?? [])
  return { kind: table ? 'table macro' : 'macro', parameters }
}

function malformed(file: string, reason: string): WarehouseError {
  return new WarehouseError(`sql/${file} cannot be used: ${reason}.`, {
    next: 'Compare it with sql/incidents/incident-times.sql.',
  })
}
