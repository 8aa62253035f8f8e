import { readdirSync, readFileSync } from 'node:fs'
import { WarehouseError } from '../errors.ts'
import { reasonOf } from '../external-errors.ts'
import { inPackage } from '../package-path.ts'
import { incidents } from '../resources/incidents.ts'
import { inOrder } from './definition-order.ts'
import type { Parser } from './parse-tree.ts'
import { choicesOf } from './rule-placeholders.ts'
import { withDisplayComments } from './rules.ts'
import { tablesOf } from './tables.ts'
import { parseViewFile, statementsOf, type ViewFile, withInherited } from './view-file.ts'

export interface Statements {
  run(sql: string): Promise<unknown>
}

const sqlFolder = inPackage('sql/')

/**
 * @param called name of the folder in error messages
 * @throws WarehouseError if the folder is unreadable, or a file is malformed or undocumented
 */
export function viewFiles(folder: URL = sqlFolder, called = 'sql'): readonly ViewFile[] {
  if (folder !== sqlFolder) return withInherited(readFiles(folder, called), viewFiles())
  // The files are cached, because every reader needs them.
  included ??= withInherited(readFiles(folder, called).map(withColumnsOfTable))
  return included
}

/** Adds the meanings of the columns that `own_incidents` takes unchanged from the table `incidents`. */
function withColumnsOfTable(file: ViewFile): ViewFile {
  if (file.name !== 'own_incidents') return file
  const [table] = tablesOf(incidents)
  const passed = table!.columns.map(({ name, meaning = '' }) => [name, meaning] as const)
  return { ...file, columns: new Map([...passed, ...file.columns]) }
}

let included: readonly ViewFile[] | undefined

function readFiles(folder: URL, called: string): readonly ViewFile[] {
  const files = filesIn(folder).map((file) =>
    parseViewFile(`${called}/${file}`, readFileSync(new URL(file, folder), 'utf8')),
  )
  const byName = new Map<string, string>()
  for (const { file, name } of files) {
    const other = byName.get(name)
    if (other) throw new WarehouseError(`${other} and ${file} both define ${name}.`, { next: 'Rename one.' })
    byName.set(name, file)
  }
  return files.sort((a, b) => (a.name < b.name ? -1 : 1))
}

function filesIn(folder: URL): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.sql'))
  } catch (cause) {
    throw new WarehouseError(`The folder of views ${folder.pathname} cannot be read.`, {
      cause,
      next: 'Reinstall Faultline: the folder sql/ must be next to dist/.',
    })
  }
}

/**
 * Creates or replaces every view and macro in one transaction. Call this function again after adding a column to a
 * table, because a view with `*` keeps its old columns.
 * @throws WarehouseError that names the file that failed, or the files of a cycle
 */
export async function applyViews(
  connection: Statements & Parser,
  files: readonly ViewFile[] = viewFiles(),
): Promise<void> {
  const ordered = withDisplayComments(await inOrder(connection, files), await choicesOf(connection))
  await inTransaction(connection, async () => {
    for (const view of ordered) {
      await connection.run(statementsOf(view).join('\n;\n')).catch((cause: unknown) => {
        const next = 'Correct the file. No view was changed.'
        throw new WarehouseError(`${view.file} failed: ${reasonOf(cause)}`, { cause, next })
      })
    }
  })
}

export async function inTransaction(connection: Statements, act: () => Promise<unknown>): Promise<void> {
  await connection.run('begin transaction')
  try {
    await act()
    await connection.run('commit')
  } catch (error) {
    // Ignores an error: if the commit failed, DuckDB has already rolled back.
    await connection.run('rollback').catch(() => undefined)
    throw error
  }
}
