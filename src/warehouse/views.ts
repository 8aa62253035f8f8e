import { readdirSync, readFileSync } from 'node:fs'
import { WarehouseError } from '../errors.ts'
import { parseViewFile, statementsOf, type ViewFile } from './statements.ts'

/** What the views need of a connection: run statements, with semicolons between them. */
export interface Statements {
  run(sql: string): Promise<unknown>
}

/** `sql/` beside `src/` and `dist/` alike: both lie two folders above this file. */
const sqlFolder = new URL('../../sql/', import.meta.url)

/**
 * The files of `sql/` (or of another folder), in the order in which they can be made: by layer, then by name.
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
  return files.sort((a, b) => a.layer - b.layer || (a.name < b.name ? -1 : 1))
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
  await connection.run('begin transaction')
  try {
    for (const file of files) await make(connection, file)
    await connection.run('commit')
  } catch (error) {
    // A commit that failed has rolled back already. The first error is the one to tell.
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
    return readdirSync(folder).filter((file) => file.endsWith('.sql'))
  } catch (cause) {
    throw new WarehouseError(`The folder of views ${folder.pathname} cannot be read.`, {
      cause,
      next: 'Install Faultline again: sql/ belongs beside dist/.',
    })
  }
}
