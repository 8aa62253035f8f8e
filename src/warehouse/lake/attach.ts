import type { DuckDBConnection } from '@duckdb/node-api'
import type { Lake } from '../../config/lake.ts'
import { WarehouseError } from '../../errors.ts'
import type { DuckDBInstance } from '../duckdb.ts'
import type { Moment } from '../published.ts'
import { literal, name } from '../quote.ts'
import { askPostgres, LAKE, newestSnapshot, onConnection, POSTGRES } from './catalogue.ts'

/**
 * Attaches the lake as it was at a snapshot, to be read only, by a copy of that part of the catalogue: so no query waits for
 * PostgreSQL, and none reaches it.
 * @param file where the copy is made
 * @param at the newest unless given
 * @returns false where nothing was published yet
 */
export async function attachForReading(
  instance: DuckDBInstance,
  lake: Lake,
  { file, at }: { readonly file: string; readonly at: Moment | undefined },
): Promise<boolean> {
  return onConnection(instance, async (connection) => {
    await connection.run(`attach ${literal(file)} as copied; begin`)
    const pinned =
      at === undefined ? await newestSnapshot(connection) : await snapshotAt(connection, lake, at)
    if (pinned === undefined) return false
    const tables = await askPostgres(
      connection,
      `select table_name::text from information_schema.tables
        where table_schema = current_schema() and starts_with(table_name, 'ducklake_')`,
    )
    const names = tables.map(([table]) => String(table))
    const filled = await inlinedOf(connection, names)
    for (const table of names) {
      if (isInlined(table) && !filled.has(table)) continue
      const part = PART[table]?.(pinned, filled) ?? PART[table.replace(/_\d.*/, '')]?.(pinned, filled) ?? ''
      const rows = `select * from ${table} ${part}`
      await connection.run(
        `create table copied.main.${name(table)} as ${filled.get(table) ?? ''} from postgres_query('${POSTGRES}', ${literal(rows)})`,
      )
    }
    await connection.run(`commit; detach copied; detach ${POSTGRES}`)
    await connection.run(
      `attach ${literal(`ducklake:${file}`)} as ${LAKE} (read_only, snapshot_version ${pinned}, data_path ${literal(lake.data)})`,
    )
    return true
  })
}

/** Tables of rows, and of places of deleted rows, that no file holds yet: one of each for a table of the lake. */
const isInlined = (table: string) => /^ducklake_inlined_(data|delete)_\d/.test(table)

/** Types of the lake that DuckLake keeps as text in PostgreSQL, as DuckDB calls them. */
const AS_TEXT: Readonly<Record<string, string>> = {
  date: 'date',
  timestamp: 'timestamp',
  timestamptz: 'timestamptz',
  uint64: 'ubigint',
  int128: 'hugeint',
}

/** Those of them that hold anything, each with the list of its columns in the types that a copy in DuckDB has. */
async function inlinedOf(
  connection: DuckDBConnection,
  tables: readonly string[],
): Promise<Map<string, string>> {
  const inlined = tables.filter(isInlined)
  if (inlined.length === 0) return new Map()
  const filled = await askPostgres(
    connection,
    inlined.map((table) => `select '${table}' as t where exists (select from ${table})`).join(' union all '),
  )
  const known = filled.map(([table]) => literal(String(table))).join(', ')
  if (known === '') return new Map()
  const columns = await askPostgres(
    connection,
    `select c.table_name::text, c.column_name::text, c.data_type::text, min(l.column_type)
      from information_schema.columns c left join ducklake_inlined_data_tables i on i.table_name = c.table_name
      left join ducklake_column l on l.table_id = i.table_id and l.column_name = c.column_name
      where table_schema = current_schema() and c.table_name in (${known})
      group by 1, 2, 3, ordinal_position order by 1, ordinal_position`,
  )
  const lists = new Map<string, string[]>()
  for (const [table, column, stored, type] of columns as [string, string, string, string | null][]) {
    const own = AS_TEXT[type ?? '']
    const value =
      stored === 'bytea' ? `decode(${name(column)})` : own ? `${name(column)}::${own}` : name(column)
    lists.set(table, [...(lists.get(table) ?? []), `${value} as ${name(column)}`])
  }
  return new Map([...lists].map(([table, list]) => [table, `select ${list.join(', ')}`]))
}

/** Which rows of the catalogue's large tables a snapshot needs: those of files that were not replaced before it. */
const PART: Readonly<Record<string, (snapshot: bigint, filled: ReadonlyMap<string, string>) => string>> = {
  ducklake_inlined_data: isThere,
  ducklake_inlined_delete: (snapshot) => `where begin_snapshot <= ${snapshot}`,
  ducklake_inlined_data_tables: (_, filled) =>
    `where table_name = any(array[${[...filled.keys()].map(literal).join(', ')}]::text[])`,
  ducklake_data_file: isThere,
  ducklake_delete_file: isThere,
  ducklake_file_column_stats: ofFiles,
  ducklake_file_partition_value: ofFiles,
  ducklake_snapshot: (snapshot) => `where snapshot_id = ${snapshot}`,
  ducklake_snapshot_changes: (snapshot) => `where snapshot_id = ${snapshot}`,
  ducklake_files_scheduled_for_deletion: () => 'where false',
}

function isThere(snapshot: bigint): string {
  return `where ${isNow(snapshot)}`
}

function isNow(snapshot: bigint): string {
  return `begin_snapshot <= ${snapshot} and (end_snapshot is null or end_snapshot > ${snapshot})`
}

function ofFiles(snapshot: bigint): string {
  return `where data_file_id in (select data_file_id from ducklake_data_file where ${isNow(snapshot)})`
}

async function snapshotAt(connection: DuckDBConnection, lake: Lake, at: Moment): Promise<bigint> {
  const wanted =
    typeof at === 'bigint'
      ? `max(snapshot_id) filter (where snapshot_id = ${at})`
      : `max(snapshot_id) filter (where snapshot_time <= ${literal(at.toISOString())})`
  const [row] = await askPostgres(
    connection,
    `select ${wanted} as wanted, min(snapshot_id) as oldest, min(snapshot_time)::text as since, max(snapshot_id) as newest from ducklake_snapshot`,
  )
  const [snapshot, oldest, since, newest] = row ?? []
  if (typeof snapshot === 'bigint') return snapshot
  const what = typeof at === 'bigint' ? `state ${at}` : `state of ${at.toISOString()}`
  throw new WarehouseError(`The lake ${lake} does not keep a ${what}.`, {
    next: `It has those from ${oldest} (${since}) to ${newest}; \`lake.retentionDays\` says how long they are kept.`,
  })
}
