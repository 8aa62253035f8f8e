import type { DuckDBConnection } from '@duckdb/node-api'
import type { Lake } from '../../config/lake.ts'
import { isOvertaken } from '../../foreign-errors.ts'
import type { Resource } from '../../resources/resource.ts'
import { type Content, columnsOf, contentOf, tablesOfAccounts } from '../contents.ts'
import { KEY as GENERATION } from '../file/generation.ts'
import type { Finished, Lease } from '../published.ts'
import { literal, name, names } from '../quote.ts'
import { foldReportRuns } from '../read/report-runs.ts'
import { checkRules } from '../schema/notes.ts'
import { ACCOUNT } from '../schema/tables.ts'
import { INLINED, inLake, LAKE, lakeError, onConnection, onPublished, writerOf } from './catalogue.ts'
import { NOTES, PUBLISHED, publishedTables } from './lake-tables.ts'
import { checkEpoch, leasePublishing } from './leases.ts'
import { makeTables } from './make-lake-tables.ts'

/** An account whose rows are to take the place of those in the lake. */
interface FinishedFile extends Finished {
  /** Its working file, closed and checkpointed. */
  readonly working: string
}

/**
 * Replaces the rows of some accounts in the lake by those of their working files, each in one transaction: readers see all
 * of an account or what was there before.
 * @param reportRuns the ledger of this machine's report runs, which is taken in
 * @returns for each what went wrong, undefined when readers see it
 */
export async function publishToLake(
  lake: Lake,
  accounts: readonly FinishedFile[],
  resources: readonly Resource[],
  reportRuns: string,
): Promise<(unknown | undefined)[]> {
  const publishing = await leasePublishing(lake)
  try {
    const failures: (unknown | undefined)[] = []
    for (const account of accounts) {
      failures.push(
        await publishLeased(lake, publishing, account, { resources, reportRuns }).then(
          () => undefined,
          (error: unknown) => lakeError(lake, error),
        ),
      )
    }
    return failures
  } finally {
    await publishing.release()
  }
}

/** How an account is published. */
interface Publishing {
  readonly resources: readonly Resource[]
  readonly reportRuns: string
  /** Whether its rows follow other rules than the lake, which is being brought under them. */
  readonly isRewritten?: boolean
}

/** The commit of one that was cut off may arrive late so often, and each time the account is published anew. */
const MOST_TRIES = 3

/**
 * Publishes one account under the lease of publishing.
 * @throws WarehouseError when that lease or the account's was lost: then nothing was published
 */
export async function publishLeased(
  lake: Lake,
  publishing: Lease,
  account: FinishedFile,
  how: Publishing,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await replaceAccount(lake, publishing, account, how)
    } catch (error) {
      if (!isOvertaken(error) || tries === MOST_TRIES) throw error
    }
  }
}

async function replaceAccount(
  lake: Lake,
  publishing: Lease,
  account: FinishedFile,
  how: Publishing,
): Promise<void> {
  await onConnection(await writerOf(lake), async (connection) => {
    await makeTables(lake, connection, how.resources)
    await checkEpoch(lake, account.accountId, account.lease)
    await connection.run(`attach ${literal(account.working)} as ${SYNCED} (read_only)`)
    try {
      await connection.run('begin')
      // A new lake has the rules of its first account.
      await connection.run(`insert into ${inLake(NOTES)} select key, value from ${SYNCED}.main.${NOTES} where key = 'privacy'
        and not exists (from ${inLake('accounts')}) and not exists (from ${inLake(NOTES)} where key = 'privacy')`)
      if (!how.isRewritten) await checkRules(connection, account.working)
      await replaceRows(connection, account.accountId)
      // Those of a working file that came from elsewhere, and those of this machine.
      await connection.run(`insert into ${inLake('report_runs')} by name select * from ${SYNCED}.main.report_runs
        where run_key not in (select run_key from ${inLake('report_runs')})`)
      await foldReportRuns(connection, how.reportRuns)
      // Lost while this process was paused: others may have published since.
      await account.lease.confirm()
      await publishing.confirm()
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

/** Tables of an account with more rows are replaced whole: to find what changed, all of them would be read from the store. */
const COMPARED = 50_000n

/**
 * Publishes the difference of a table, where few rows went: most nights that leaves no file, since DuckLake keeps few rows, and the
 * places of few that were deleted, in the catalogue.
 * @returns false where too many went
 */
async function amend(
  connection: DuckDBConnection,
  changed: { readonly table: string; readonly columns: readonly string[]; readonly accountId: bigint },
): Promise<boolean> {
  const { table, columns, accountId } = changed
  const where = `where ${ACCOUNT.name} = ${accountId}`
  const from = `${SYNCED}.main.${name(table)}`
  // By the hash that tells changed tables; equal rows are told apart by their number.
  const counted = (rows: string) =>
    `(select rowid as place, hash(${names(columns)}) as h, row_number() over (partition by h) as n from ${rows} ${where})`
  await connection.run(`create or replace temp table differing as
    select gone.place as gone, come.place as come
    from ${counted(inLake(table))} gone full join ${counted(from)} come using (h, n)
    where gone.place is null or come.place is null`)
  const found = await connection.runAndReadAll('select count(gone) from temp.differing')
  if (Number(found.getRows()[0]![0]) > INLINED) return false
  await connection.run(`
    delete from ${inLake(table)} ${where} and rowid in (select gone from temp.differing where gone is not null);
    insert into ${inLake(table)} by name select ${names(columns)} from ${from}
      where rowid in (select come from temp.differing where come is not null)`)
  return true
}

async function replaceRows(connection: DuckDBConnection, accountId: bigint): Promise<void> {
  const there = new Set(await tablesOfAccounts(connection, LAKE))
  const own = (await tablesOfAccounts(connection, SYNCED)).filter((table) => there.has(table))
  // A working file keeps columns that no resource has any more.
  const columns = await columnsOf(connection, SYNCED, LAKE)
  const where = `where ${ACCOUNT.name} = ${accountId}`
  const before = await publishedTables(connection, accountId)
  const now = new Map<string, Content>()
  for (const table of own) {
    const from = `${SYNCED}.main.${name(table)}`
    const content = await contentOf(connection, from, columns.get(table)!, accountId)
    now.set(table, content)
    const published = before.get(table)
    if (published?.digest === content.digest) continue
    const changed = { table, columns: columns.get(table)!, accountId }
    if (
      published &&
      published.rows <= COMPARED &&
      content.rows <= COMPARED &&
      (await amend(connection, changed))
    )
      continue
    await connection.run(`
      delete from ${inLake(table)} ${where};
      insert into ${inLake(table)} by name select ${names(changed.columns)} from ${from} ${where}`)
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
