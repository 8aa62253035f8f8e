import { DuckDBInstance } from '@duckdb/node-api'

/** Converts a file to the format of the first program version, which had no views and fewer columns in the ledger. */
export async function toFirstLayout(path: string): Promise<void> {
  const instance = await DuckDBInstance.create(path)
  const connection = await instance.connect()
  try {
    await connection.run(`set TimeZone = 'UTC'`)
    const views = await connection.runAndReadAll('select view_name from duckdb_views() where not internal')
    for (const [view] of views.getRows()) await connection.run(`drop view "${view}"`)
    for (const change of UNDO) await connection.run(change)
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

const UNDO = [
  'drop table sync_accepted',
  'drop table sync_rows',
  'alter table sync_checks drop column is_private',
  'alter table sync_windows drop column account_id',
  'alter table schema_drift drop column account_id',
  'alter table report_runs add column sync_run_id bigint',
  `delete from faultline_meta where key in ('definitions', 'settings', 'own_sql')`,
  `delete from faultline_migrations where name <> '001-ledger'`,
]
