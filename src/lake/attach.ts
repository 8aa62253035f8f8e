import type { DuckDBConnection } from '@duckdb/node-api'
import { type DuckDBInstance, onConnection } from '../definitions/duckdb.ts'
import { quoteIdentifier, quoteLiteral } from '../definitions/quote.ts'
import { WarehouseError } from '../errors.ts'
import type { Lake } from '../settings/lake.ts'
import type { Moment } from '../warehouse/published.ts'
import { LAKE, newestSnapshot, POSTGRES, queryCatalog } from './catalog.ts'

/**
 * Attaches one snapshot (default: the newest) for reading. First copies the catalog into the local file `file`, so that
 * queries never wait for PostgreSQL.
 * @returns false if nothing was published yet
 */
export async function attachForReading(
  instance: DuckDBInstance,
  lake: Lake,
  { file, at }: { readonly file: string; readonly at: Moment | undefined },
): Promise<boolean> {
  return onConnection(instance, async (connection) => {
    await connection.run(`attach ${quoteLiteral(file)} as copied; begin`)
    const pinned =
      at === undefined ? await newestSnapshot(connection) : await snapshotAt(connection, lake, at)
    if (pinned === undefined) return false
    const tables = await queryCatalog(
      connection,
      `select table_name::text from information_schema.tables
        where table_schema = current_schema() and starts_with(table_name, 'ducklake_')`,
    )
    for (const [table] of tables) {
      const rows = `select * from ${table} ${PART[String(table)]?.(pinned) ?? ''}`
      await connection.run(
        `create table copied.main.${quoteIdentifier(String(table))} as from postgres_query('${POSTGRES}', ${quoteLiteral(rows)})`,
      )
    }
    await connection.run(`commit; detach copied; detach ${POSTGRES}`)
    await connection.run(
      `attach ${quoteLiteral(`ducklake:${file}`)} as ${LAKE} (read_only, snapshot_version ${pinned}, data_path ${quoteLiteral(lake.data)})`,
    )
    return true
  })
}

/** Conditions for large catalog tables, of which only the rows for the snapshot are copied. */
const PART: Readonly<Record<string, (snapshot: bigint) => string>> = {
  ducklake_data_file: (snapshot) => `where ${isThere(snapshot)}`,
  ducklake_delete_file: (snapshot) => `where ${isThere(snapshot)}`,
  ducklake_file_column_stats: ofFiles,
  ducklake_file_partition_value: ofFiles,
  ducklake_snapshot: (snapshot) => `where snapshot_id = ${snapshot}`,
  ducklake_snapshot_changes: (snapshot) => `where snapshot_id = ${snapshot}`,
  ducklake_files_scheduled_for_deletion: () => 'where false',
}

function isThere(snapshot: bigint): string {
  return `begin_snapshot <= ${snapshot} and (end_snapshot is null or end_snapshot > ${snapshot})`
}

function ofFiles(snapshot: bigint): string {
  return `where data_file_id in (select data_file_id from ducklake_data_file where ${isThere(snapshot)})`
}

async function snapshotAt(connection: DuckDBConnection, lake: Lake, at: Moment): Promise<bigint> {
  const wanted =
    typeof at === 'bigint'
      ? `max(snapshot_id) filter (where snapshot_id = ${at})`
      : `max(snapshot_id) filter (where snapshot_time <= ${quoteLiteral(at.toISOString())})`
  const [row] = await queryCatalog(
    connection,
    `select ${wanted} as wanted, min(snapshot_id) as oldest, min(snapshot_time)::text as since, max(snapshot_id) as newest from ducklake_snapshot`,
  )
  const [snapshot, oldest, since, newest] = row ?? []
  if (typeof snapshot === 'bigint') return snapshot
  const what = typeof at === 'bigint' ? `snapshot ${at}` : `snapshot of ${at.toISOString()}`
  throw new WarehouseError(`The lake ${lake} has no ${what}.`, {
    next: `Available: ${oldest} (${since}) to ${newest}. \`lake.retentionDays\` sets how long they are kept.`,
  })
}
