import type { DuckDBConnection } from '@duckdb/node-api'
import { Kysely } from 'kysely'
import type { Lake } from '../../config/lake.ts'
import { WarehouseError } from '../../errors.ts'
import { resources } from '../../resources/index.ts'
import type { Resource } from '../../resources/resource.ts'
import { DuckDbDialect } from '../dialect.ts'
import { accountFiles, makeFolder, type WarehouseFiles } from '../file/files.ts'
import { needs as fileNeeds, type Rewriting, rewriteFile } from '../file/rewrite.ts'
import type { Maintained } from '../published.ts'
import { literal } from '../quote.ts'
import type { Database } from '../schema/database.ts'
import {
  askPostgres,
  LAKE,
  lakeError,
  leasesOf,
  onConnection,
  onPublished,
  tellPostgres,
  writerOf,
} from './catalogue.ts'
import { asking, miscounted } from './lake-tables.ts'
import { leaseAccount, leasedError, leasePublishing } from './leases.ts'
import { makeTables } from './make-lake-tables.ts'
import { adoptRules, publishLeased } from './publish-to-lake.ts'
import { accountsInLake, restoreFromLake } from './restore-from-lake.ts'

/** A reader that has just begun reads files that were replaced meanwhile; one that lost its connection wrote files for nothing. */
const GRACE = 'interval 1 day'

/** Files of at least so many bytes are left as they are: small accounts share files, large ones have their own. */
const LARGE_FILE = 32 * 1024 * 1024

/** A file of which a larger share was deleted is written anew without them. */
const MOSTLY_THERE = 0.05

/**
 * Brings the lake into shape: writes rows of the catalogue to files, merges small ones, forgets states that are older than `days`, and removes files that no state
 * needs. Publishing waits meanwhile.
 * @param later as it would be so many days from now
 */
export async function maintain(lake: Lake, days: number, later = 0): Promise<Maintained> {
  return locked(lake, async (connection) => {
    const time = `${await timeIn(lake)} + interval ${later} day`
    await makeTables(lake, connection, resources)
    await writeInlined(lake, connection)
    // Rows that are written anew do not tell any more which commit brought them, by which `repair` tells doubled ones.
    if ((await miscounted(asking(connection))).length === 0)
      await count(connection, `ducklake_rewrite_data_files('${LAKE}', delete_threshold => ${MOSTLY_THERE})`)
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
  })
}

/** Writes what lies in PostgreSQL to files, one for each table and all accounts. */
async function writeInlined(lake: Lake, connection: DuckDBConnection): Promise<void> {
  await count(connection, `ducklake_flush_inlined_data('${LAKE}')`)
  // A list of deleted rows takes the place of a former one from the state on that it begins with: DuckLake leaves both there until now,
  // and in states between the rows would be there twice. And what it merges of a former version's files, it takes for partitioned again.
  await tellPostgres(
    await leasesOf(lake),
    `update ducklake_delete_file former set end_snapshot = later.since
      from (select one.delete_file_id, min(other.begin_snapshot) as since from ducklake_delete_file one
        join ducklake_delete_file other on other.data_file_id = one.data_file_id and other.delete_file_id > one.delete_file_id
        group by 1) later
      where later.delete_file_id = former.delete_file_id and (end_snapshot is null or end_snapshot > since);
    update ducklake_data_file set partition_id = null where partition_id is not null`,
  )
}

/** The time by PostgreSQL, which wrote those of all states: one machine's clock may be wrong by days. In DuckDB's words. */
async function timeIn(lake: Lake): Promise<string> {
  const [row] = await askPostgres(
    await leasesOf(lake),
    `select to_char(now() at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US+00')`,
  )
  return `${literal(String(row?.[0]))}::timestamptz`
}

async function count(connection: DuckDBConnection, call: string): Promise<number> {
  return (await connection.runAndReadAll(`from ${call}`)).currentRowCount
}

async function locked<Result>(
  lake: Lake,
  act: (connection: DuckDBConnection) => Promise<Result>,
): Promise<Result> {
  const publishing = await leasePublishing(lake)
  try {
    return await onConnection(await writerOf(lake), act)
  } catch (cause) {
    throw lakeError(lake, cause)
  } finally {
    await publishing.release()
  }
}

/**
 * Brings every account of a lake under other rules, by way of its working file, and forgets all that was there before: no former
 * state, and no file of one, is left. Killed in between, it begins anew; nobody publishes meanwhile, or under former rules
 * afterwards.
 * @throws WarehouseError when an account is being synced
 */
export async function rewriteLake(
  lake: Lake,
  files: WarehouseFiles,
  rewriting: Rewriting & { readonly rules: string },
  resources: readonly Resource[],
): Promise<void> {
  const needs = () =>
    onPublished(lake, false, (connection) =>
      rewriting.isNeeded(new Kysely<Database>({ dialect: new DuckDbDialect(connection) })),
    )
  if (!(await needs())) return
  makeFolder(files)
  const publishing = await leasePublishing(lake)
  try {
    if (!(await needs())) return
    for (const accountId of (await accountsInLake(lake)).keys()) {
      const lease = await leaseAccount(lake, accountId)
      if (lease === undefined) {
        const { message } = await leasedError(lake, accountId)
        throw new WarehouseError(`The privacy rules were changed, and ${message}`, {
          next: 'Stop all workers, sync once with the new rules, then start the workers with them.',
        })
      }
      try {
        const own = accountFiles(files, accountId)
        await restoreFromLake(lake, own, accountId)
        if (await fileNeeds(own.working, rewriting)) await rewriteFile(own.working, files, rewriting)
        const finished = { accountId, working: own.working, lease }
        await publishLeased(lake, publishing, finished, {
          resources,
          reportRuns: files.reportRuns,
          isRewritten: true,
        })
      } finally {
        await lease.release()
      }
    }
    // Last but for the rules: killed before, all of this is done again.
    await forgetFormer(lake)
    await adoptRules(lake, rewriting.rules)
  } catch (cause) {
    throw lakeError(lake, cause)
  } finally {
    await publishing.release()
  }
}

/** Forgets all former states of a lake, and removes what only they needed: files, and what the catalogue says of columns. */
export async function forgetFormer(lake: Lake): Promise<void> {
  await onConnection(await writerOf(lake), async (connection) => {
    await writeInlined(lake, connection)
    // A file whose rows are all gone, or some, is there until it is written anew.
    await count(connection, `ducklake_rewrite_data_files('${LAKE}', delete_threshold => 0)`)
    for (const call of [
      `ducklake_expire_snapshots('${LAKE}', older_than => ${await timeIn(lake)})`,
      `ducklake_cleanup_old_files('${LAKE}', cleanup_all => true)`,
      `ducklake_delete_orphaned_files('${LAKE}', cleanup_all => true)`,
    ])
      await count(connection, call)
  })
  // The least and the greatest value that a column ever had: kept for good, and no query needs them.
  await tellPostgres(
    await leasesOf(lake),
    'update ducklake_table_column_stats set min_value = null, max_value = null, extra_stats = null',
  )
}
