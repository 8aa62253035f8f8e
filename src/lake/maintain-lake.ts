import type { DuckDBConnection } from '@duckdb/node-api'
import { onConnection } from '../definitions/duckdb.ts'
import { quoteLiteral } from '../definitions/quote.ts'
import { WarehouseError } from '../errors.ts'
import type { Resource } from '../resources/resource.ts'
import type { Lake } from '../settings/lake.ts'
import { typedOn } from '../warehouse/dialect.ts'
import { accountFiles, makeFolder, type WarehouseFiles } from '../warehouse/file/files.ts'
import { needs as fileNeeds, type Rewriting, rewriteFile } from '../warehouse/file/rewrite.ts'
import type { Maintained } from '../warehouse/published.ts'
import { writeNotes } from '../warehouse/schema/file-metadata.ts'
import {
  executeOnCatalog,
  LAKE,
  leasesOf,
  newestSnapshot,
  onPublished,
  queryCatalog,
  writerOf,
} from './catalog.ts'
import { deleteReplacedRows, findCorruptTables } from './lake-tables.ts'
import { leaseAccount, leasedError, whilePublishing } from './leases.ts'
import { publishLeased } from './publish-to-lake.ts'
import { accountsInLake, restoreFromLake } from './restore-from-lake.ts'

/** Minimum age of unused files that maintenance deletes. Readers and running publications may need newer files. */
const GRACE = 'interval 1 day'

/** Files of this size (bytes) or more are not merged, so that a large account has its own files. */
const LARGE_FILE = 8 * 1024 * 1024

/**
 * Rewrites every file with a deleted row. Accounts share files, so even a small part of a file can matter to an
 * account.
 */
const REWRITE = `ducklake_rewrite_data_files('${LAKE}', delete_threshold => 0)`

/**
 * Removes deleted rows, old snapshots and unused files, and merges small files. Nothing can be published meanwhile.
 * @param days age from which snapshots are removed
 * @param later days to add to the current time, for tests
 */
export async function maintain(lake: Lake, days: number, later = 0): Promise<Maintained> {
  return whilePublishing(lake, async () =>
    onConnection(await writerOf(lake), async (connection) => {
      const time = `${await timeIn(lake)} + interval ${later} day`
      if ((await newestSnapshot(await leasesOf(lake))) !== undefined) {
        await connection.run(`use ${LAKE}`)
        // Rewrites nothing while rows are stored twice. `repair` distinguishes duplicate rows by their commit numbers,
        // which a rewrite removes.
        if ((await findCorruptTables(connection)).length === 0) {
          await deleteReplacedRows(connection)
          await count(connection, REWRITE)
        }
      }
      const merged = await count(
        connection,
        `ducklake_merge_adjacent_files('${LAKE}', max_file_size => ${LARGE_FILE})`,
      )
      const expired = await count(
        connection,
        `ducklake_expire_snapshots('${LAKE}', older_than => ${time} - interval ${days} day)`,
      )
      const old = `older_than => ${time} - ${GRACE}`
      const removed =
        (await count(connection, `ducklake_cleanup_old_files('${LAKE}', ${old})`)) +
        (await count(connection, `ducklake_delete_orphaned_files('${LAKE}', ${old})`))
      return { merged, expired, removed }
    }),
  )
}

/**
 * Returns the current time by PostgreSQL's clock, which sets the times of snapshots. This machine's clock may differ.
 */
async function timeIn(lake: Lake): Promise<string> {
  const [row] = await queryCatalog(
    await leasesOf(lake),
    `select to_char(now() at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US+00')`,
  )
  return `${quoteLiteral(String(row?.[0]))}::timestamptz`
}

/** Calls a DuckLake function and counts the rows of its result. */
async function count(connection: DuckDBConnection, call: string): Promise<number> {
  return (await connection.runAndReadAll(`from ${call}`)).currentRowCount
}

/**
 * Applies changed privacy rules to every account and removes all earlier snapshots. Nothing can be published meanwhile.
 * After an interruption, the next call starts over.
 */
export async function rewriteLake(
  lake: Lake,
  files: WarehouseFiles,
  rewriting: Rewriting & { readonly rules: string },
  resources: readonly Resource[],
): Promise<void> {
  const needs = () => onPublished(lake, false, (connection) => rewriting.isNeeded(typedOn(connection)))
  if (!(await needs())) return
  makeFolder(files)
  await whilePublishing(lake, async (publishing) => {
    if (!(await needs())) return
    for (const accountId of (await accountsInLake(lake)).keys()) {
      const lease = await leaseAccount(lake, accountId)
      if (lease === undefined) {
        const { message } = await leasedError(lake, accountId)
        throw new WarehouseError(`The privacy rules were changed, and ${message}`, {
          next: 'Stop all workers, run one sync with the new rules, then restart the workers with the new rules.',
        })
      }
      try {
        const own = accountFiles(files, accountId)
        await restoreFromLake(lake, own.working, accountId)
        if (await fileNeeds(own.working, rewriting)) await rewriteFile(own.working, files, rewriting)
        const how = { resources, reportRuns: files.reportRuns, isRewritten: true }
        await publishLeased(lake, publishing, { accountId, lease, files: own }, how)
      } finally {
        await lease.release()
      }
    }
    // Stores the rules last, so that the next call starts over after an interruption.
    await expireSnapshots(lake)
    const notes = new Map([['privacy', rewriting.rules]])
    await onPublished(lake, undefined, (connection) => writeNotes(connection, notes))
  })
}

/** DuckLake stores lowest and highest values as text. Numbers must be converted before they are compared. */
const isNumber = `typed.column_type ~ '^(u?int|float|decimal)'`
const bound = (which: 'min' | 'max') => {
  const value = `of_file.${which}_value`
  return `case when bool_and(${value} is not null or of_file.null_count >= file.record_count) then coalesce(
    ${which}(case when ${isNumber} then ${value}::numeric end)::text,
    ${which}(case when not ${isNumber} then ${value} end collate "C")) end as ${which}_value`
}

/**
 * Replaces each column's recorded bounds, which may be removed values, with the bounds of the current files. Without
 * bounds, DuckLake would use those of the next file for the entire table, and DuckDB would skip rows.
 */
const TRUE_BOUNDS = `update ducklake_table_column_stats known
  set min_value = now.min_value, max_value = now.max_value, extra_stats = null
  from (select stats.table_id, stats.column_id, ${bound('min')}, ${bound('max')}
    from ducklake_table_column_stats stats
    left join ducklake_data_file file on file.table_id = stats.table_id and file.end_snapshot is null
    left join ducklake_file_column_stats of_file
      on of_file.data_file_id = file.data_file_id and of_file.column_id = stats.column_id
    left join ducklake_column typed
      on typed.table_id = stats.table_id and typed.column_id = stats.column_id and typed.end_snapshot is null
    group by 1, 2) now
  where now.table_id = known.table_id and now.column_id = known.column_id`

/** Removes all old snapshots and their files, and deleted values from the statistics in the catalog. */
export async function expireSnapshots(lake: Lake): Promise<void> {
  const time = await timeIn(lake)
  await onConnection(await writerOf(lake), async (connection) => {
    for (const call of [
      REWRITE,
      `ducklake_expire_snapshots('${LAKE}', older_than => ${time})`,
      `ducklake_cleanup_old_files('${LAKE}', cleanup_all => true)`,
      `ducklake_delete_orphaned_files('${LAKE}', cleanup_all => true)`,
    ])
      await count(connection, call)
  })
  await executeOnCatalog(await leasesOf(lake), TRUE_BOUNDS)
}
