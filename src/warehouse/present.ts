import type { DuckDBConnection } from '@duckdb/node-api'
import { resources } from '../resources/index.ts'
import type { Settings } from '../settings.ts'
import { allTables } from './create.ts'
import { accountOfLayout1, layoutOf } from './layout.ts'
import { name } from './quote.ts'
import { temporaryReportRuns } from './report-runs.ts'
import { temporarySettings } from './settings-tables.ts'
import { ACCOUNT, type Table } from './tables.ts'
import { viewFiles } from './views.ts'

/**
 * SQL that puts this program's definitions and these settings before those of the file, for one session: temporary
 * tables `config_*`, and every relation of `sql/` as a temporary one. So figures follow the present configuration
 * without a new sync, and a copy that an older version published is read with today's rules: tables and columns it does
 * not know yet are empty. `report_runs` holds what the ledger file `reportRuns` says as well. Takes about 50 ms a session,
 * whatever the file holds.
 * @throws WarehouseError when the file was written by a newer program
 */
export async function presentDefinitions(
  connection: DuckDBConnection,
  settings: Settings,
  reportRuns: string,
): Promise<string> {
  const statements = [
    ...(await missing(connection)),
    ...temporarySettings(settings),
    ...(await temporaryReportRuns(connection, reportRuns)),
    ...temporaryViews(),
  ]
  return statements.join(';\n')
}

/** Statements that make every relation of `sql/` a temporary one: they read temporary tables before those of the file. */
export function temporaryViews(): string[] {
  return viewFiles().map(({ name: view, kind, body }) =>
    kind === 'view'
      ? `create or replace temp view ${name(view)} as\n${body}`
      : body.replace(/^create or replace macro/, 'create or replace temp macro'),
  )
}

/** What the file lacks of the tables of today, as temporary relations of the same names. */
async function missing(connection: DuckDBConnection): Promise<string[]> {
  const isOld = (await layoutOf(connection)) === 1
  const account = isOld ? await accountOfLayout1(connection, resources) : null
  const found = await connection.runAndReadAll(
    `select current_database(), table_name, list(column_name) from duckdb_columns()
     where database_name = current_database() and schema_name = 'main' and not internal group by all`,
  )
  const known = new Map(
    found
      .getRowsJS()
      .map(([database, table, columns]) => [String(table), { database: String(database), columns }] as const),
  )
  return allTables(resources).flatMap((table) => {
    const there = known.get(table.name)
    if (!there) return [`create or replace temp table ${name(table.name)} (${columnsOf(table)})`]
    return grown(table, there.database, there.columns as string[], account)
  })
}

function columnsOf({ columns }: Table): string {
  return columns.map((column) => `${name(column.name)} ${column.type}`).join(', ')
}

/** A file of layout 1 is of one account and does not say so everywhere. */
function grown(table: Table, database: string, present: readonly string[], account: bigint | null): string[] {
  const isAccount = (column: string) => account !== null && column === ACCOUNT.name
  const valueFor = (column: Table['columns'][number]) =>
    `${isAccount(column.name) ? account : 'null'}::${column.type} as ${name(column.name)}`
  const added = table.columns.filter((column) => !present.includes(column.name)).map(valueFor)
  const replaced = table.columns.filter((column) => present.includes(column.name) && isAccount(column.name))
  if (added.length + replaced.length === 0) return []
  const all = replaced.length > 0 ? `* replace (${replaced.map(valueFor).join(', ')})` : '*'
  const from = `${name(database)}.main.${name(table.name)}`
  return [
    `create or replace temp view ${name(table.name)} as select ${[all, ...added].join(', ')} from ${from}`,
  ]
}
