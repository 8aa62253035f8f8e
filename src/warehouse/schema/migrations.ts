import type { DuckDBConnection } from '@duckdb/node-api'
import { Kysely, type Migration, Migrator, sql } from 'kysely'
import { WarehouseError } from '../../errors.ts'
import { DuckDbDialect } from '../dialect.ts'
import { lowerStoredIds } from './lower-stored-ids.ts'

export const TABLE = 'faultline_migrations'

const FIRST = [
  `sync_runs (run_id bigint, account_id bigint, account_name varchar, started_at timestamptz, finished_at timestamptz,
    service_time_at timestamptz, status varchar, as_of_at timestamptz, rows_read bigint, rows_written bigint,
    requests bigint, throttled bigint, seconds double, version varchar, message varchar)`,
  'accounts (account_id bigint, name varchar)',
  `sync_windows (run_id bigint, window_id bigint, resource varchar, reason varchar, window_start timestamptz,
    window_end timestamptz, state varchar, rows_read bigint, total_seen bigint, requests bigint, cursor varchar,
    updated_at timestamptz, message varchar)`,
  'sync_checks (account_id bigint, resource varchar, id varchar, checked_at timestamptz, is_missing boolean)',
  `quarantine (run_id bigint, account_id bigint, resource varchar, operation varchar, request_id varchar, path varchar,
    reason varchar, payload varchar, seen_at timestamptz, record_key varchar, first_seen_at timestamptz,
    times_seen bigint)`,
  'schema_drift (resource varchar, field varchar, kind varchar, first_seen_at timestamptz, run_id bigint)',
  `report_runs (run_key varchar, ran_at timestamptz, report varchar, period_from date, period_to date, timezone varchar,
    account varchar, team varchar, severity varchar, figure varchar, label varchar, value double, n bigint,
    as_of_at timestamptz, sync_run_id bigint, definition varchar, version varchar)`,
  'faultline_meta (key varchar, value varchar)',
]

/** Views in older files that are macros now. The prefix `no_` is omitted here. */
const SHAPES = [
  ...['candidates', 'counts', 'durations', 'event_changes', 'event_counts', 'event_times', 'event_weeks'],
  ...['medians', 'observations', 'pages', 'spans', 'subject_counts', 'targets', 'tested', 'weeks'],
]

/** Migrations in order. Never change a released one. `ledger-tables.ts` describes the result. */
export const migrations: Readonly<Record<string, Migration>> = {
  '001-ledger': {
    async up(db) {
      for (const table of FIRST) await sql.raw(`create table if not exists ${table}`).execute(db)
    },
  },
  // Each account numbers its runs from 1, so these tables need the account.
  '002-account-of-windows': {
    async up(db) {
      for (const table of ['sync_windows', 'schema_drift'].map((name) => sql.table(name))) {
        await sql`alter table ${table} add column account_id bigint`.execute(db)
        await sql`update ${table} t set account_id = r.account_id from sync_runs r where r.run_id = t.run_id`.execute(
          db,
        )
      }
      await sql`alter table report_runs drop column sync_run_id`.execute(db)
    },
  },
  '003-rows': {
    async up(db) {
      await sql`create table sync_rows (account_id bigint, table_name varchar, row_count bigint)`.execute(db)
    },
  },
  '004-accepted': {
    async up(db) {
      await sql`create table sync_accepted (account_id bigint, run_id bigint, resource varchar,
        window_start timestamptz, window_end timestamptz, row_count bigint)`.execute(db)
    },
  },
  '005-private-ids': {
    async up(db) {
      await sql`alter table sync_checks add column is_private boolean`.execute(db)
    },
  },
  '006-lower-case-ids': { up: (db) => lowerStoredIds(db) },
  '007-shapes': {
    async up(db) {
      for (const shape of SHAPES) await sql`drop view if exists ${sql.table(`no_${shape}`)}`.execute(db)
    },
  },
}

/** @throws WarehouseError if a newer program wrote the file */
export async function migrate(connection: DuckDBConnection): Promise<void> {
  if ((await missingMigrations(connection)).length === 0) return
  const migrator = new Migrator({
    db: new Kysely({ dialect: new DuckDbDialect(connection) }),
    provider: { getMigrations: async () => migrations },
    migrationTableName: TABLE,
    migrationLockTableName: `${TABLE}_lock`,
  })
  const { error } = await migrator.migrateToLatest()
  if (error !== undefined) throw error
}

/** Returns the migrations that the open file lacks. @throws WarehouseError if a newer program wrote the file */
export async function missingMigrations(connection: DuckDBConnection): Promise<string[]> {
  const known = await connection.runAndReadAll(
    `select 1 from duckdb_tables() where table_name = '${TABLE}' and database_name = current_database()`,
  )
  if (known.currentRowCount === 0) return Object.keys(migrations)
  const found = await connection.runAndReadAll(
    `select name, (select path from duckdb_databases() where database_name = current_database()) from ${TABLE} order by name`,
  )
  const had = new Set(found.getRows().map(([name]) => String(name)))
  for (const [name, path] of found.getRows()) {
    if (Object.hasOwn(migrations, String(name))) continue
    throw new WarehouseError(
      `${path} was written by a newer Faultline: its tables contain the migration "${name}", which is unknown to this version.`,
      { next: 'Update Faultline, or use another warehouse file.' },
    )
  }
  return Object.keys(migrations).filter((name) => !had.has(name))
}
