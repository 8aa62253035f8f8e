import type { DuckDBConnection } from '@duckdb/node-api'
import { WarehouseError } from '../errors.ts'
import type { Resource } from '../resources/resource.ts'
import { ledger } from './ledger.ts'
import { literal, name } from './quote.ts'
import { type Table, tablesOf } from './tables.ts'
import { applyViews } from './views.ts'

/** Version of the layout that cannot grow by columns alone; a file with a higher one was written by a newer program. */
export const LAYOUT_VERSION = 1

/**
 * Brings a warehouse to what this program expects: missing tables are made, missing columns added, views remade.
 * Nothing is ever dropped.
 * @throws WarehouseError when the file was written by a newer program
 */
export async function createTables(
  connection: DuckDBConnection,
  resources: readonly Resource[],
): Promise<void> {
  await refuseNewer(connection)
  await connection.run('begin transaction')
  for (const table of [...ledger, ...resources.flatMap(tablesOf)]) await createTable(connection, table)
  await connection.run(`delete from faultline_meta where key = 'layout'`)
  await connection.run(`insert into faultline_meta (key, value) values ('layout', '${LAYOUT_VERSION}')`)
  await connection.run('commit')
  await applyViews(connection)
}

async function refuseNewer(connection: DuckDBConnection) {
  const known = await connection.runAndReadAll(
    `select 1 from duckdb_tables() where table_name = 'faultline_meta' and schema_name = 'main'`,
  )
  if (known.currentRowCount === 0) return
  const found = await connection.runAndReadAll(`select value::int from faultline_meta where key = 'layout'`)
  const layout = found.getRows()[0]?.[0] as number | undefined
  if (layout !== undefined && layout > LAYOUT_VERSION) {
    throw new WarehouseError(
      `This warehouse was written by a newer Faultline (layout ${layout}; this one knows ${LAYOUT_VERSION}).`,
      { next: 'Update Faultline, or use another warehouse file.' },
    )
  }
}

async function createTable(connection: DuckDBConnection, table: Table) {
  const columns = table.columns.map((column) => `${name(column.name)} ${column.type}`)
  await connection.run(`create table if not exists ${name(table.name)} (${columns.join(', ')})`)
  const existing = await connection.runAndReadAll(
    `select column_name from duckdb_columns() where schema_name = 'main' and table_name = ${literal(table.name)}`,
  )
  const present = new Set(existing.getRows().map((row) => row[0]))
  for (const column of table.columns) {
    if (present.has(column.name)) continue
    await connection.run(`alter table ${name(table.name)} add column ${name(column.name)} ${column.type}`)
  }
  await connection.run(`comment on table ${name(table.name)} is ${literal(table.description)}`)
}
