import { type DuckDBConnection, DuckDBInstance, type DuckDBValue } from '@duckdb/node-api'
import { createSettings } from '../../src/definitions/settings-tables.ts'
import { defaultSettings } from '../../src/settings/settings.ts'

/** Tables as the views expect them. Written by hand, so that tests of views do not need the code that creates them. */
const tables: Record<string, string> = {
  incidents: `account_id bigint, incident_id varchar, account_name varchar, account_locale varchar,
    account_time_zone varchar, channel_id bigint, channel_name varchar, channel_status varchar,
    integration_id bigint, integration_ids bigint[], integration_type varchar, integration_types varchar[],
    dedup_key varchar, equals_md5 varchar, start_time timestamptz, end_time timestamptz, last_time timestamptz,
    ack_time timestamptz, close_time timestamptz, creator_id bigint, closer_id bigint, owner_id bigint,
    incident_status varchar, incident_severity varchar, progress varchar, title varchar, description varchar,
    ai_summary varchar, impact varchar, root_cause varchar, resolution varchar, num varchar, frequency varchar,
    deleted_at timestamptz, created_at timestamptz, updated_at timestamptz, snoozed_before timestamptz,
    group_method varchar, ever_muted boolean, labels json, fields json, assigned_to json,
    reporter_email varchar, alert_cnt bigint, active_alert_cnt bigint, alert_event_cnt bigint,
    detail_url varchar, silence_url varchar, post_mortem_id varchar, manual_overrides varchar[],
    alerts json, closer json, creator json, owner json, links json, images json, data_source_id bigint,
    data_source_ids bigint[], data_source_type varchar, data_source_types varchar[]`,
  incident_responders: `account_id bigint, incident_id varchar, ordinal bigint, person_id bigint, assigned_at timestamptz,
    acknowledged_at timestamptz, person_name varchar`,
  channels: `account_id bigint, channel_id bigint, channel_name varchar, status varchar, team_id bigint,
    updated_at timestamptz`,
  teams: 'account_id bigint, team_id bigint, team_name varchar',
  team_members: 'account_id bigint, team_id bigint, ordinal bigint, person_id bigint',
  members: 'account_id bigint, member_id bigint, member_name varchar',
  post_mortems: 'account_id bigint, post_mortem_id varchar, status varchar, created_at timestamptz',
  sync_runs: `run_id bigint, account_id bigint, account_name varchar, started_at timestamptz, finished_at timestamptz,
    status varchar, as_of_at timestamptz, rows_read bigint, rows_written bigint, requests bigint, throttled bigint,
    seconds double, message varchar`,
  accounts: 'account_id bigint, name varchar',
  sync_checks: 'account_id bigint, resource varchar, is_private boolean',
  sync_windows: `account_id bigint, run_id bigint, resource varchar, reason varchar, window_start timestamptz,
    window_end timestamptz, state varchar, updated_at timestamptz`,
  quarantine: `run_id bigint, account_id bigint, resource varchar, operation varchar, request_id varchar, path varchar,
    reason varchar, payload varchar, seen_at timestamptz, record_key varchar, first_seen_at timestamptz,
    times_seen bigint`,
  schema_drift:
    'account_id bigint, resource varchar, field varchar, kind varchar, first_seen_at timestamptz, run_id bigint',
}

/** Columns that only tables of records have. Tables of nested lists and of the sync lack these columns. */
const bookkeeping =
  '_extra json, _hash ubigint, _seen_at timestamptz, _run_id bigint, vanished_at timestamptz'
const bare = new Set([
  'incident_responders',
  'team_members',
  'sync_runs',
  'accounts',
  'sync_checks',
  'sync_windows',
  'quarantine',
  'schema_drift',
])

/** Tables with earlier versions of records, each with the table of the current versions. */
const VERSIONS = new Map([
  ['incident_versions', 'incidents'],
  ['channel_versions', 'channels'],
])

/** Creates all tables in memory, with default settings. One thread is fastest for a few rows. */
export async function createTables() {
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  await connection.run("set TimeZone = 'UTC'")
  await connection.run('set threads = 1')
  for (const [name, columns] of Object.entries(tables)) {
    await connection.run(`create table ${name} (${columns}${bare.has(name) ? '' : `, ${bookkeeping}`})`)
  }
  for (const [versions, table] of VERSIONS)
    await connection.run(`create table ${versions} as select *, _seen_at as _replaced_at from ${table}`)
  await createSettings(connection)
  return connection
}

export async function empty(connection: DuckDBConnection) {
  for (const name of [...Object.keys(tables), ...VERSIONS.keys()]) await connection.run(`delete from ${name}`)
  await createSettings(connection, defaultSettings)
}

/** The account of all rows for which a test sets no account. */
export const ACCOUNT = 1

/**
 * Inserts the rows of `relation`, each of which is an object in the column `json`. Absent keys and times of 0 become
 * null.
 */
export async function fill(
  connection: DuckDBConnection,
  table: string,
  relation: string,
  values: DuckDBValue[] = [],
  account = String(ACCOUNT),
) {
  const described = await connection.runAndReadAll(`select column_name, column_type from (describe ${table})`)
  // Reads each object once. `->>` would read it again for every column.
  const form: Record<string, string> = { account_id: 'VARCHAR' }
  const cells = described.getRowsJson().map(([name, type]) => {
    const column = String(name)
    form[column] = type === 'JSON' ? 'JSON' : 'VARCHAR'
    if (column === 'account_id') return account
    if (type === 'TIMESTAMP WITH TIME ZONE') return `to_timestamp(nullif(row.${column}::bigint, 0))`
    return `row.${column}::${type}`
  })
  await connection.run(
    `insert into ${table} select ${cells.join(', ')}
    from (select from_json(json, '${JSON.stringify(form)}') as row from ${relation})`,
    values,
  )
}

/** Fills a table from objects. An object without an account gets `ACCOUNT`. */
export async function insert(connection: DuckDBConnection, table: string, rows: readonly object[]) {
  const objects = `(select unnest(from_json($1::json, '["json"]')) as json)`
  await connection.run(`delete from ${table}`)
  if (rows.length === 0) return
  await fill(
    connection,
    table,
    objects,
    [JSON.stringify(rows)],
    `coalesce(row.account_id::bigint, ${ACCOUNT})`,
  )
}

/** Returns the rows of a query as plain values: integers as numbers, times and dates as Unix seconds. */
export async function rowsOf(
  connection: DuckDBConnection,
  query: string,
): Promise<Record<string, unknown>[]> {
  const result = await connection.runAndReadAll(query)
  return result
    .getRowObjectsJS()
    .map((row) => Object.fromEntries(Object.entries(row).map(([column, value]) => [column, plain(value)])))
}

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (value instanceof Date) return value.getTime() / 1000
  return Array.isArray(value) ? value.map(nested) : value
}

function nested(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || value instanceof Date) return plain(value)
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]))
}
