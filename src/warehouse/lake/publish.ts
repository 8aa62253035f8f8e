import { chmodSync, existsSync, rmSync } from 'node:fs'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { Lake } from '../../config/lake.ts'
import { renameDurably } from '../../effects.ts'
import type { Resource } from '../../resources/resource.ts'
import { DamagedFile, isDamage } from '../file/damage.ts'
import { type AccountFiles, PRIVATE } from '../file/files.ts'
import { KEY as GENERATION, lineageOf } from '../file/generation.ts'
import { onDatabase, openError } from '../file/open-file.ts'
import { checkRules } from '../file/publish.ts'
import { tablesOfAccounts } from '../file/verify.ts'
import { literal, name, names } from '../quote.ts'
import { foldReportRuns } from '../read/report-runs.ts'
import { allTables, growth, stampOf } from '../schema/create.ts'
import { TABLE as MIGRATIONS, migrations, missingMigrations } from '../schema/migrations.ts'
import { readNotes } from '../schema/notes.ts'
import { ACCOUNT, type Table } from '../schema/tables.ts'
import { inLake, LAKE, lakeError, locksOf, newestSnapshot, onConnection, writerOf } from './catalogue.ts'
import { checkEpoch, type Lease, type Lock, lockPublishing } from './lease.ts'

const NOTES = 'faultline_meta'
const REPORT_RUNS = 'report_runs'

/** An account whose rows are to take the place of those in the lake. */
export interface Finished {
  readonly accountId: bigint
  /** Its working file, closed and checkpointed. */
  readonly working: string
  readonly lease: Lease
}

/**
 * What the lake holds of each table of an account: tables that are the same are not written again, and each can be verified. The
 * row of the notes has the generation of the working file instead.
 */
const PUBLISHED: Table = {
  name: 'lake_tables',
  description: 'What was published of each table of an account.',
  columns: [
    ACCOUNT,
    { name: 'table_name', type: 'VARCHAR', meaning: 'Table.' },
    { name: 'row_count', type: 'BIGINT', meaning: 'Rows of the account in it.' },
    { name: 'digest', type: 'VARCHAR', meaning: 'Changes when a value of a row does.' },
  ],
}

/**
 * Replaces the rows of some accounts in the lake by those of their working files, each in one transaction: readers see all
 * of an account or what was there before.
 * @param reportRuns the ledger of this machine's report runs, which is taken in
 * @returns for each what went wrong, undefined when readers see it
 */
export async function publishToLake(
  lake: Lake,
  accounts: readonly Finished[],
  resources: readonly Resource[],
  reportRuns: string,
): Promise<(unknown | undefined)[]> {
  const lock = await lockPublishing(lake)
  try {
    const failures: (unknown | undefined)[] = []
    for (const account of accounts) {
      failures.push(
        await publishLocked(lake, lock, account, { resources, reportRuns }).then(
          () => undefined,
          (error: unknown) => lakeError(lake, error),
        ),
      )
    }
    return failures
  } finally {
    await lock.release()
  }
}

/**
 * Publishes one account under the lock of publishing.
 * @param how.isRewritten whether its rows follow other rules than the lake, which is being brought under them
 */
export async function publishLocked(
  lake: Lake,
  lock: Lock,
  account: Finished,
  how: {
    readonly resources: readonly Resource[]
    readonly reportRuns: string
    readonly isRewritten?: boolean
  },
): Promise<void> {
  await onConnection(await writerOf(lake), async (connection) => {
    await connection.run(`use ${LAKE}`)
    await checkEpoch(lake, account.accountId, account.lease)
    await connection.run(`attach ${literal(account.working)} as ${SYNCED} (read_only)`)
    try {
      await connection.run('begin')
      await makeTables(connection, how.resources)
      if (!how.isRewritten) await checkRules(connection, account.working)
      await replaceRows(connection, account.accountId)
      await foldReportRuns(connection, how.reportRuns)
      // Lost while this process was paused: others may have published since.
      await account.lease.confirm()
      await lock.confirm()
      await connection.run('commit')
    } catch (error) {
      await connection.run('rollback').catch(() => undefined)
      throw error
    } finally {
      await connection.run(`detach database if exists ${SYNCED}`)
    }
  })
}

/** Notes the rules that all rows of the lake follow now. */
export async function adoptRules(lake: Lake, rules: string): Promise<void> {
  await onPublished(lake, undefined, (connection) =>
    connection.run(`begin; delete from ${NOTES} where key = 'privacy';
      insert into ${NOTES} values ('privacy', ${literal(rules)}); commit`),
  )
}

/** Under this name a working file is attached, as where it is merged into the published copy. */
const SYNCED = 'synced'

async function replaceRows(connection: DuckDBConnection, accountId: bigint): Promise<void> {
  const there = new Set(await tablesOfAccounts(connection, LAKE))
  const own = (await tablesOfAccounts(connection, SYNCED)).filter((table) => there.has(table))
  const columns = await columnsOf(connection, SYNCED)
  const where = `where ${ACCOUNT.name} = ${accountId}`
  const before = await publishedTables(connection, accountId)
  const now = new Map<string, Content>()
  for (const table of own) {
    const from = `${SYNCED}.main.${name(table)}`
    const content = await contentOf(connection, from, columns.get(table)!, accountId)
    now.set(table, content)
    if (before.get(table)?.digest === content.digest) continue
    await connection.run(`
      delete from ${inLake(table)} ${where};
      insert into ${inLake(table)} by name select * from ${from} ${where}`)
  }
  const generation = await connection.runAndReadAll(
    `select value from ${SYNCED}.main.${NOTES} where key = ${literal(GENERATION)}`,
  )
  now.set(NOTES, { rows: 0n, digest: String(generation.getRows()[0]?.[0]) })
  const rows = [...now].map(
    ([table, { rows, digest }]) => `(${accountId}, ${literal(table)}, ${rows}, ${literal(digest)})`,
  )
  await connection.run(`delete from ${inLake(PUBLISHED.name)} ${where};
    insert into ${inLake(PUBLISHED.name)} values ${rows.join(', ')}`)
}

/** What a table holds of an account. */
interface Content {
  readonly rows: bigint
  readonly digest: string
}

/** Number and digest of an account's rows; of DuckDB's version, whose hashes may change with it. */
async function contentOf(
  connection: DuckDBConnection,
  from: string,
  columns: readonly string[],
  accountId: bigint,
): Promise<Content> {
  const found = await connection.runAndReadAll(`
    select count(*), concat_ws(' ', version(), ${columns.length}, count(*), bit_xor(h), sum(h))
    from (select hash(${names(columns)}) as h from ${from} where ${ACCOUNT.name} = ${accountId})`)
  const [rows, digest] = found.getRows()[0] as [bigint, string]
  return { rows, digest }
}

/** Columns of each table in the order of their names, which is the same in the working file and in the lake. */
async function columnsOf(connection: DuckDBConnection, database: string): Promise<Map<string, string[]>> {
  const found = await connection.runAndReadAll(`select table_name, list(column_name order by column_name)
    from duckdb_columns() where database_name = ${literal(database)} group by 1`)
  return new Map(found.getRowsJS() as [string, string[]][])
}

async function publishedTables(
  connection: DuckDBConnection,
  accountId: bigint,
): Promise<Map<string, Content>> {
  const found = await connection.runAndReadAll(`select table_name, row_count, digest
    from ${inLake(PUBLISHED.name)} where ${ACCOUNT.name} = ${accountId}`)
  return new Map(
    (found.getRows() as [string, bigint, string][]).map(([table, rows, digest]) => [table, { rows, digest }]),
  )
}

/** A table of an account that does not hold what was published. */
export interface Wrong {
  readonly table: string
  readonly rows: bigint
  readonly published: bigint
}

/**
 * Reads every value of an account in the lake, and compares each table with what was published. Digests of another version
 * of DuckDB are left out.
 */
export async function verifyInLake(lake: Lake, accountId: bigint): Promise<Wrong[]> {
  return onPublished(lake, [], async (connection) => {
    const wrong: Wrong[] = []
    const [[version]] = (await connection.runAndReadAll('select version()')).getRows() as [[string]]
    const columns = await columnsOf(connection, LAKE)
    for (const [table, published] of await publishedTables(connection, accountId)) {
      if (!published.digest.startsWith(`${version} `)) continue
      const { rows, digest } = await contentOf(connection, inLake(table), columns.get(table)!, accountId)
      if (digest !== published.digest) wrong.push({ table, rows, published: published.rows })
    }
    return wrong
  })
}

/** Brings the lake's tables to those of this program. @throws WarehouseError when a newer one wrote the lake */
async function makeTables(connection: DuckDBConnection, resources: readonly Resource[]): Promise<void> {
  await missingMigrations(connection)
  const tables = [...allTables(resources), PUBLISHED]
  const stamp = stampOf(tables)
  const notes = await readNotes(connection)
  if (notes.get('tables') === stamp) return
  const parts = tables
    .filter(({ columns }) => columns.some((column) => column.name === ACCOUNT.name))
    .map((table) => `alter table ${inLake(table.name)} set partitioned by (${ACCOUNT.name})`)
  const had = Object.keys(migrations).map((one) => `(${literal(one)}, '')`)
  await connection.run(
    [
      ...(await growth(connection, tables)),
      ...parts,
      `create table if not exists ${MIGRATIONS} (name varchar, "timestamp" varchar)`,
      `delete from ${MIGRATIONS}`,
      `insert into ${MIGRATIONS} values ${had.join(', ')}`,
      `delete from ${NOTES} where key = 'tables'`,
      `insert into ${NOTES} values ('tables', ${literal(stamp)})`,
      // A new lake has the rules of its first account.
      ...(notes.size > 0
        ? []
        : [`insert into ${NOTES} select key, value from ${SYNCED}.main.${NOTES} where key = 'privacy'`]),
    ].join(';\n'),
  )
}

/** The accounts of the lake, with their names; none when there is no lake yet. */
export async function accountsInLake(lake: Lake): Promise<Map<bigint, string | null>> {
  return onPublished(lake, new Map(), async (connection) => {
    const found = await connection.runAndReadAll('select account_id, name from accounts order by 1')
    return new Map(found.getRows() as [bigint, string | null][])
  })
}

/**
 * Starts from the lake when the working file is missing, or another machine has published since: nothing is read from the
 * service again. Hold the lease of the account.
 */
export async function restoreFromLake(
  lake: Lake,
  { working, log }: AccountFiles,
  accountId: bigint,
): Promise<void> {
  await onPublished(lake, undefined, async (connection) => {
    const published = (await publishedTables(connection, accountId)).get(NOTES)?.digest
    if (published === undefined) return
    if (existsSync(working) && (await comesFrom(working, published))) return
    const copy = `${working}.restored`
    // Others are restored at the same time.
    const restored = name(`restored ${accountId}`)
    for (const file of [copy, `${copy}.wal`]) rmSync(file, { force: true })
    await connection.run(`attach ${literal(copy)} as ${restored}`)
    try {
      const tables = await tablesOfAccounts(connection, LAKE)
      const made = tables
        .filter((table) => table !== PUBLISHED.name)
        .map((table) => `${name(table)} as from ${inLake(table)} where ${ACCOUNT.name} = ${accountId}`)
      const shared = [
        `${MIGRATIONS} as from ${inLake(MIGRATIONS)}`,
        `${name(REPORT_RUNS)} as from ${inLake(REPORT_RUNS)} where false`,
        `${NOTES} as from ${inLake(NOTES)} where key = 'privacy'`,
      ]
      await connection.run(`begin;
        ${[...made, ...shared].map((one) => `create table ${restored}.main.${one}`).join(';\n')};
        insert into ${restored}.main.${NOTES} values (${literal(GENERATION)}, ${literal(published)});
        commit; checkpoint ${restored}`)
    } finally {
      await connection.run('rollback').catch(() => undefined)
      await connection.run(`detach ${restored}`)
    }
    chmodSync(copy, PRIVATE)
    // Both belonged to a file that another machine's rows took the place of.
    for (const file of [working, log]) rmSync(file, { force: true })
    renameDurably(copy, working)
  })
}

async function comesFrom(working: string, generation: string): Promise<boolean> {
  const lineage = await onDatabase(working, { access_mode: 'READ_ONLY' }, lineageOf).catch(
    (cause: unknown) => {
      throw isDamage(cause) ? new DamagedFile(working, cause) : openError(cause, working)
    },
  )
  return lineage.includes(generation)
}

/** Does something in the lake; gives `nothing` while there is none. */
export async function onPublished<Result>(
  lake: Lake,
  nothing: Result,
  act: (connection: DuckDBConnection) => Promise<Result>,
): Promise<Result> {
  try {
    if ((await newestSnapshot(await locksOf(lake))) === undefined) return nothing
    return await onConnection(await writerOf(lake), async (connection) => {
      await connection.run(`use ${LAKE}`)
      return act(connection)
    })
  } catch (cause) {
    throw lakeError(lake, cause)
  }
}
