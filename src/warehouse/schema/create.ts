import { createHash } from 'node:crypto'
import type { DuckDBConnection } from '@duckdb/node-api'
import { filesFor } from '../../definitions/custom-definitions-sql.ts'
import { checkCustomViews, customViews } from '../../definitions/custom-views.ts'
import { metricViews } from '../../definitions/metric-views.ts'
import { quoteIdentifier } from '../../definitions/quote.ts'
import { createSettings, settingsTables, temporarySettings } from '../../definitions/settings-tables.ts'
import { commentOn, type Table, type TableColumn, tablesOf } from '../../definitions/tables.ts'
import { sqlKind, type ViewFile } from '../../definitions/view-file.ts'
import { applyViews, inTransaction, viewFiles } from '../../definitions/views.ts'
import type { Resource } from '../../resources/resource.ts'
import type { Settings } from '../../settings/settings.ts'
import { readNotes, writeNotes } from './file-metadata.ts'
import { ledger, ledgerNames } from './ledger-tables.ts'
import { migrate } from './migrations.ts'

/** Updates tables, comments, settings and views if they are outdated. Without `settings`, the file keeps its own. */
export async function createTables(
  connection: DuckDBConnection,
  resources: readonly Resource[],
  settings?: Settings,
): Promise<void> {
  await migrate(connection)
  const tables = allTables(resources)
  const own = publishedOf(settings)
  const stamps = stampsOf(tables, settings)
  if (await hasStamps(connection, stamps)) return
  const statements = await schemaChanges(connection, resources.flatMap(tablesOf), tables)
  // All statements run in a single call, because a new file needs hundreds of them.
  await inTransaction(connection, () => connection.run(statements.join(';\n')))
  await createSettings(connection, settings)
  await checkCustomViews(connection, own, ledgerNames)
  if (settings) await dropFormer(connection)
  const files = [...(settings ? await filesFor(connection, settings) : viewFiles()), ...own]
  await applyViews(connection, [...files, ...metricViews(files)])
  // The hashes are written last, so that the next call repeats an interrupted update.
  await writeNotes(connection, settings ? stamps : stamps.set('settings', ''))
}

/** Whether the file has these tables and settings, and this program's views. Assumes that no migration is missing. */
export function isMadeOf(
  connection: DuckDBConnection,
  resources: readonly Resource[],
  settings: Settings,
): Promise<boolean> {
  return hasStamps(connection, stampsOf(allTables(resources), settings))
}

/** Returns custom SQL to store in the file, so that everybody who opens the file can use it. */
function publishedOf(settings: Settings | undefined): readonly ViewFile[] {
  return settings?.sql?.isPublished ? customViews(settings, ledgerNames) : []
}

function stampsOf(tables: readonly Table[], settings?: Settings): Map<string, string> {
  viewsStamp ??= stampOf(viewFiles())
  const stamps = new Map([['definitions', stampOf([tables, settingsTables, viewsStamp])]])
  if (!settings) return stamps
  const own = publishedOf(settings)
  stamps.set('settings', stampOf([...temporarySettings(settings), ...own]))
  return stamps.set(
    OWN,
    JSON.stringify([...metricViews(own), ...own].map(({ name, kind }) => ({ name, kind }))),
  )
}

/** The hash of all views. It is computed only once, because the views have half a megabyte of text. */
let viewsStamp: string | undefined

const OWN = 'own_sql'

/** Drops all former custom SQL, because the user may have removed some. The caller creates the rest again. */
async function dropFormer(connection: DuckDBConnection): Promise<void> {
  const former = (await readNotes(connection)).get(OWN) ?? '[]'
  for (const one of JSON.parse(former) as Pick<ViewFile, 'name' | 'kind'>[]) {
    await connection.run(`drop ${sqlKind(one.kind)} if exists ${quoteIdentifier(one.name)}`)
  }
}

export function stampOf(definitions: unknown): string {
  const text = JSON.stringify(definitions, (_, value) => (value instanceof Map ? [...value] : value))
  return createHash('sha256').update(text).digest('hex')
}

async function hasStamps(
  connection: DuckDBConnection,
  stamps: ReadonlyMap<string, string>,
): Promise<boolean> {
  const stored = await readNotes(connection)
  return [...stamps].every(([key, value]) => stored.get(key) === value)
}

export function allTables(resources: readonly Resource[]): readonly Table[] {
  return [...ledger, ...resources.flatMap(tablesOf)]
}

/** Returns statements that create missing tables and columns, and set comments. */
export async function schemaChanges(
  connection: DuckDBConnection,
  made: readonly Table[],
  described = made,
): Promise<string[]> {
  const existing = await existingTables(connection)
  return [
    ...made.flatMap((table) => growing(table, existing)),
    ...described.flatMap(({ name, description, columns }) => {
      const isMissing = (one: TableColumn) =>
        (one.meaning ?? '') !== (existing.get(name)?.get(one.name) ?? '')
      return commentOn('table', name, description, columns.filter(isMissing))
    }),
  ]
}

/** The comment of each column, by table. */
type Existing = ReadonlyMap<string, ReadonlyMap<string, string>>

async function existingTables(connection: DuckDBConnection): Promise<Existing> {
  const result = await connection.runAndReadAll(
    `select table_name, column_name, coalesce(comment, '') from duckdb_columns()
    where schema_name = 'main' and database_name = current_database()`,
  )
  const tables = new Map<string, Map<string, string>>()
  for (const [table, column, comment] of result.getRows() as [string, string, string][])
    tables.set(table, (tables.get(table) ?? new Map()).set(column, comment))
  return tables
}

function growing(table: Table, existing: Existing): string[] {
  const there = existing.get(table.name)
  const name = quoteIdentifier(table.name)
  const missing = table.columns
    .filter((column) => !there?.has(column.name))
    .map((column) => `${quoteIdentifier(column.name)} ${column.type}`)
  if (!there) return [`create table ${name} (${missing})`]
  return missing.map((column) => `alter table ${name} add column ${column}`)
}
