import type { DuckDBConnection } from '@duckdb/node-api'
import type { Resource } from '../resources/resource.ts'
import type { Settings } from '../settings.ts'
import { accountOfLayout1, giveToAccount, LAYOUT_VERSION, layoutOf, noteLayout } from './layout.ts'
import { ledger } from './ledger.ts'
import { literal, name } from './quote.ts'
import { createSettings } from './settings-tables.ts'
import { type Table, tablesOf } from './tables.ts'
import { applyViews } from './views.ts'

/**
 * Brings a warehouse to what this program expects: missing tables are made, missing columns added, an older layout
 * brought up to date, views remade. Nothing is ever dropped.
 * @param settings replace those of the runs before; without them the file keeps its own
 * @param account whose rows those of a file of layout 1 are where they do not say; without one it stays of layout 1
 * @throws WarehouseError when the file was written by a newer program
 */
export async function createTables(
  connection: DuckDBConnection,
  resources: readonly Resource[],
  account?: bigint,
  settings?: Settings,
): Promise<void> {
  const layout = await layoutOf(connection)
  const tables = allTables(resources)
  await connection.run('begin transaction')
  try {
    const existing = await existingTables(connection)
    // One call for all of them: a new file takes hundreds of statements.
    await connection.run(tables.flatMap((table) => statementsFor(table, existing)).join(';\n'))
    await noteLayout(connection, await bringUp(connection, resources, layout, account))
    await connection.run('commit')
  } catch (error) {
    await connection.run('rollback').catch(() => undefined)
    throw error
  }
  await createSettings(connection, settings)
  await applyViews(connection)
}

/** Every table of a warehouse: the sync's own and those of the resources. */
export function allTables(resources: readonly Resource[]): readonly Table[] {
  return [...ledger, ...resources.flatMap(tablesOf)]
}

/** Returns the layout that the file has afterwards. */
async function bringUp(
  connection: DuckDBConnection,
  resources: readonly Resource[],
  layout: number | undefined,
  account: bigint | undefined,
): Promise<number> {
  if (layout !== 1) return LAYOUT_VERSION
  const whose = (await accountOfLayout1(connection, resources)) ?? account
  if (whose === undefined) return layout
  await giveToAccount(connection, allTables(resources), whose)
  return LAYOUT_VERSION
}

/** The columns of the file's tables and what each one's comment says. */
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

/** The statements that bring one table to what it is declared as. */
function statementsFor(table: Table, existing: Existing): string[] {
  const there = existing.get(table.name)
  const statements = there
    ? table.columns
        .filter((column) => !there.has(column.name))
        .map((column) => `alter table ${name(table.name)} add column ${name(column.name)} ${column.type}`)
    : [`create table ${name(table.name)} (${table.columns.map((one) => `${name(one.name)} ${one.type}`)})`]
  for (const { name: column, meaning = '' } of table.columns)
    if (meaning !== (there?.get(column) ?? ''))
      statements.push(`comment on column ${name(table.name)}.${name(column)} is ${literal(meaning)}`)
  return [...statements, `comment on table ${name(table.name)} is ${literal(table.description)}`]
}
