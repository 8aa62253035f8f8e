import type { DuckDBConnection } from '@duckdb/node-api'
import type { Settings } from '../../config/settings.ts'
import { resources } from '../../resources/index.ts'
import type { Resource } from '../../resources/resource.ts'
import { name } from '../quote.ts'
import { allTables, isMadeOf } from '../schema/create.ts'
import { missingMigrations } from '../schema/migrations.ts'
import { temporarySettings } from '../schema/settings-tables.ts'
import type { TableColumn } from '../schema/tables.ts'
import { viewFiles } from '../schema/views.ts'
import { temporaryReportRuns } from './report-runs.ts'

/**
 * SQL that puts this program's definitions and these settings before those of the file, for one session: temporary
 * tables `config_*`, and every relation of `sql/` as a temporary one. So figures follow the present configuration
 * without a new sync, and a copy that an older version published is read with today's rules: tables and columns it does
 * not know yet are empty. `report_runs` holds what the ledger file `reportRuns` says as well. Empty for a file that was made
 * of just these; else it takes about 100 ms a session, whatever the file holds.
 * @throws WarehouseError when the file was written by a newer program
 */
export async function presentDefinitions(
  connection: DuckDBConnection,
  settings: Settings,
  reportRuns: string,
): Promise<string> {
  const ledger = await temporaryReportRuns(connection, reportRuns)
  const isUpToDate =
    (await missingMigrations(connection)).length === 0 && (await isMadeOf(connection, resources, settings))
  const definitions = isUpToDate
    ? []
    : [...(await missingTables(connection)), ...temporarySettings(settings), ...temporaryViews()]
  return [...definitions, ...ledger].join(';\n')
}

/** Statements that make every relation of `sql/` a temporary one: they read temporary tables before those of the file. */
export function temporaryViews(): string[] {
  return viewFiles().map(({ name: view, kind, body }) =>
    kind === 'view'
      ? `create or replace temp view ${name(view)} as\n${body}`
      : body.replace(/^create or replace macro/, 'create or replace temp macro'),
  )
}

/**
 * What an older file lacks of the tables of today, as temporary relations of the same names: empty, or NULL.
 * @throws WarehouseError when the file was written by a newer program
 */
export async function missingTables(
  connection: DuckDBConnection,
  known: readonly Resource[] = resources,
): Promise<string[]> {
  await missingMigrations(connection)
  const found = await connection.runAndReadAll(
    `select current_database(), table_name, list(column_name) from duckdb_columns()
     where database_name = current_database() and schema_name = 'main' and not internal group by all`,
  )
  const present = new Map(
    found
      .getRowsJS()
      .map(([database, table, columns]) => [table, { database: String(database), columns }] as const),
  )
  return allTables(known).flatMap((table) => {
    const typed = (column: TableColumn) => `null::${column.type} as ${name(column.name)}`
    const there = present.get(table.name)
    if (!there) {
      const columns = table.columns.map((column) => `${name(column.name)} ${column.type}`)
      return [`create or replace temp table ${name(table.name)} (${columns.join(', ')})`]
    }
    const added = table.columns.filter(({ name: column }) => !(there.columns as string[]).includes(column))
    if (added.length === 0) return []
    // A view finds itself under its plain name.
    const from = `${name(there.database)}.main.${name(table.name)}`
    return [
      `create or replace temp view ${name(table.name)} as select *, ${added.map(typed).join(', ')} from ${from}`,
    ]
  })
}
