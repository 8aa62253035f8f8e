import { createHash } from 'node:crypto'
import type { DuckDBConnection } from '@duckdb/node-api'
import { filesFor } from '../../definitions/custom-definitions-sql.ts'
import { checkCustomViews, customViews } from '../../definitions/custom-views.ts'
import { metricViews } from '../../definitions/metric-views.ts'
import { quoteIdentifier, quoteLiteral } from '../../definitions/quote.ts'
import { createSettings, settingsTables, temporarySettings } from '../../definitions/settings-tables.ts'
import { type Table, tablesOf } from '../../definitions/tables.ts'
import type { ViewFile } from '../../definitions/view-file.ts'
import { applyViews, inTransaction, viewFiles } from '../../definitions/views.ts'
import type { Resource } from '../../resources/resource.ts'
import type { Settings } from '../../settings/settings.ts'
import { readNotes, writeNotes } from './file-metadata.ts'
import { ledger, ledgerNames } from './ledger-tables.ts'
import { migrate } from './migrations.ts'

/**
 * Updates a warehouse to this version. Migrates ledger tables, adds missing parts of resource tables, and then updates
 * comments, settings and views. Skips steps that would repeat those that created the file.
 * @param settings replace the stored settings. If undefined, the file keeps its own
 */
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
  // Uses a single call, because a new file takes hundreds of statements.
  await inTransaction(connection, () => connection.run(statements.join(';\n')))
  await createSettings(connection, settings)
  await checkCustomViews(connection, own, ledgerNames)
  if (settings) await dropFormer(connection)
  const files = [...(settings ? await filesFor(connection, settings) : viewFiles()), ...own]
  await applyViews(connection, [...files, ...metricViews(files)])
  // The stamps are written last, so that an interrupted creation is repeated. If there are no `settings`, their stamp
  // is empty.
  await writeNotes(connection, settings ? stamps : stamps.set('settings', ''))
}

/** Whether a fully migrated file was created with these tables and settings and with this program's views. */
export function isMadeOf(
  connection: DuckDBConnection,
  resources: readonly Resource[],
  settings: Settings,
): Promise<boolean> {
  return hasStamps(connection, stampsOf(allTables(resources), settings))
}

/** Returns the part of a user's own SQL that is published to everybody who opens the file. */
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

/** Computed only once, because it covers half a megabyte of text that does not change. */
let viewsStamp: string | undefined

const OWN = 'own_sql'

/** Drops relations that a user's own SQL created earlier. Relations that are still published are created again. */
async function dropFormer(connection: DuckDBConnection): Promise<void> {
  const former = (await readNotes(connection)).get(OWN) ?? '[]'
  for (const one of JSON.parse(former) as Pick<ViewFile, 'name' | 'kind'>[]) {
    const kind = one.kind === 'table macro' ? 'macro table' : one.kind
    await connection.run(`drop ${kind} if exists ${quoteIdentifier(one.name)}`)
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

/** Returns every table of a warehouse: the sync's own tables and those of the resources. */
export function allTables(resources: readonly Resource[]): readonly Table[] {
  return [...ledger, ...resources.flatMap(tablesOf)]
}

/** Returns statements that create tables or add missing parts, and set their comments. */
export async function schemaChanges(
  connection: DuckDBConnection,
  made: readonly Table[],
  described = made,
): Promise<string[]> {
  const existing = await existingTables(connection)
  return [
    ...made.flatMap((table) => growing(table, existing)),
    ...described.flatMap((table) => comments(table, existing)),
  ]
}

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
  if (!there)
    return [
      `create table ${quoteIdentifier(table.name)} (${table.columns.map((one) => `${quoteIdentifier(one.name)} ${one.type}`)})`,
    ]
  return table.columns
    .filter((column) => !there.has(column.name))
    .map(
      (column) =>
        `alter table ${quoteIdentifier(table.name)} add column ${quoteIdentifier(column.name)} ${column.type}`,
    )
}

function comments(table: Table, existing: Existing): string[] {
  const there = existing.get(table.name)
  return [
    `comment on table ${quoteIdentifier(table.name)} is ${quoteLiteral(table.description)}`,
    ...table.columns
      .filter(({ name: column, meaning = '' }) => meaning !== (there?.get(column) ?? ''))
      .map(
        ({ name: column, meaning = '' }) =>
          `comment on column ${quoteIdentifier(table.name)}.${quoteIdentifier(column)} is ${quoteLiteral(meaning)}`,
      ),
  ]
}
