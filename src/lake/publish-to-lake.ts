import type { DuckDBConnection } from '@duckdb/node-api'
import { onConnection } from '../definitions/duckdb.ts'
import { quoteIdentifier, quoteIdentifiers, quoteLiteral } from '../definitions/quote.ts'
import { ACCOUNT } from '../definitions/tables.ts'
import { inTransaction } from '../definitions/views.ts'
import { isCommitConflict } from '../external-errors.ts'
import type { Resource } from '../resources/resource.ts'
import type { Lake } from '../settings/lake.ts'
import { type Content, columnsOf, contentOf } from '../warehouse/content-hash.ts'
import { KEY as GENERATION } from '../warehouse/file/generation.ts'
import { ROWS } from '../warehouse/file/verify-file.ts'
import type { Finished, Lease } from '../warehouse/published.ts'
import { foldReportRuns } from '../warehouse/read/report-runs.ts'
import { allTables, schemaChanges, stampOf } from '../warehouse/schema/create.ts'
import { checkRules, readNotes } from '../warehouse/schema/file-metadata.ts'
import { TABLE as MIGRATIONS, migrations, missingMigrations } from '../warehouse/schema/migrations.ts'
import { inLake, LAKE, lakeError, writerOf } from './catalog.ts'
import { NOTES, notePublished, PUBLISHED, publishedTables } from './lake-tables.ts'
import { checkEpoch, whilePublishing } from './leases.ts'

/** Publishes accounts, each in its own transaction. Returns an entry for each account: its error, or undefined. */
export async function publishToLake(
  lake: Lake,
  accounts: readonly Finished[],
  resources: readonly Resource[],
  reportRuns: string,
): Promise<(unknown | undefined)[]> {
  return whilePublishing(lake, async (publishing) => {
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
  })
}

interface Publishing {
  readonly resources: readonly Resource[]
  readonly reportRuns: string
  /** Whether `rewriteLake` publishes the account. The lake does not have the account's new privacy rules yet. */
  readonly isRewritten?: boolean
}

const SYNCED = 'synced'

/** Maximum number of attempts. A publication is repeated if a delayed commit of another process comes first. */
const MOST_TRIES = 3

/** Publishes one account. The caller must hold the publishing lease. @throws WarehouseError if a lease was lost */
export async function publishLeased(
  lake: Lake,
  publishing: Lease,
  account: Finished,
  how: Publishing,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await replaceAccount(lake, publishing, account, how)
    } catch (error) {
      if (!isCommitConflict(error) || tries === MOST_TRIES) throw error
    }
  }
}

async function replaceAccount(
  lake: Lake,
  publishing: Lease,
  { accountId, lease, files }: Finished,
  how: Publishing,
): Promise<void> {
  await onConnection(await writerOf(lake), async (connection) => {
    await connection.run(`use ${LAKE}`)
    await checkEpoch(lake, accountId, lease)
    await connection.run(`attach ${quoteLiteral(files.working)} as ${SYNCED} (read_only)`)
    await inTransaction(connection, async () => {
      await makeTables(connection, how.resources)
      if (!how.isRewritten) await checkRules(connection, files.working)
      await replaceRows(connection, accountId)
      // Report runs in the working file come first, then those that reports on this machine have recorded.
      await connection.run(`insert into ${inLake('report_runs')} by name select * from ${SYNCED}.main.report_runs
        where run_key not in (select run_key from ${inLake('report_runs')})`)
      await foldReportRuns(connection, how.reportRuns)
      // Checks both leases. If this process was paused, it may have lost them, and another process may have published.
      await lease.confirm()
      await publishing.confirm()
    }).finally(() => connection.run(`detach database if exists ${SYNCED}`))
  })
}

async function replaceRows(connection: DuckDBConnection, accountId: bigint): Promise<void> {
  const there = await columnsOf(connection, LAKE)
  const where = `where ${ACCOUNT.name} = ${accountId}`
  const before = await publishedTables(connection, accountId)
  const changed = new Map<string, Content>()
  for (const [table, own] of await columnsOf(connection, SYNCED)) {
    // Skips tables and columns that only the working file has, because no resource uses them.
    const columns = own.filter((column) => there.get(table)?.includes(column))
    if (!columns.includes(ACCOUNT.name) || table === ROWS) continue
    const from = { table: `${SYNCED}.main.${quoteIdentifier(table)}`, columns, accountId }
    const published = before.get(table)
    const content = await contentOf(connection, from.table, from.columns, accountId)
    if (published?.digest === content.digest) continue
    changed.set(table, content)
    const first = published && (await firstNew(connection, from, published))
    if (first === undefined) await connection.run(`delete from ${inLake(table)} ${where}`)
    await connection.run(`insert into ${inLake(table)} by name
      select ${quoteIdentifiers(from.columns)} from ${from.table} ${where} and rowid >= ${first ?? 0}`)
  }
  const generation = await connection.runAndReadAll(
    `select value from ${SYNCED}.main.${NOTES} where key = ${quoteLiteral(GENERATION)}`,
  )
  changed.set(NOTES, { rows: 0n, digest: String(generation.getRows()[0]?.[0]) })
  await notePublished(connection, accountId, changed)
}

/** Returns the `rowid` of the first unpublished row, or undefined if older rows were changed or removed. */
async function firstNew(
  connection: DuckDBConnection,
  from: { readonly table: string; readonly columns: readonly string[]; readonly accountId: bigint },
  published: Content,
): Promise<bigint | undefined> {
  const { table, columns, accountId } = from
  const found = await connection.runAndReadAll(
    `select rowid from ${table} where ${ACCOUNT.name} = ${accountId} order by 1 limit 1 offset ${published.rows}`,
  )
  const first = found.getRows()[0]?.[0] as bigint | undefined
  if (first === undefined) return undefined
  const former = await contentOf(connection, `(from ${table} where rowid < ${first})`, columns, accountId)
  return former.digest === published.digest ? first : undefined
}

/** Creates missing tables and columns. @throws WarehouseError if a newer program wrote the lake */
async function makeTables(connection: DuckDBConnection, resources: readonly Resource[]): Promise<void> {
  await missingMigrations(connection)
  const tables = [...allTables(resources), PUBLISHED]
  const stamp = stampOf(tables)
  const notes = await readNotes(connection)
  if (notes.get('tables') === stamp) return
  const had = Object.keys(migrations).map((one) => `(${quoteLiteral(one)}, '')`)
  await connection.run(
    [
      ...(await schemaChanges(connection, tables)),
      `create table if not exists ${MIGRATIONS} (name varchar, "timestamp" varchar)`,
      `delete from ${MIGRATIONS}`,
      `insert into ${MIGRATIONS} values ${had.join(', ')}`,
      `delete from ${NOTES} where key = 'tables'`,
      `insert into ${NOTES} values ('tables', ${quoteLiteral(stamp)})`,
      // A new lake gets the privacy rules of its first account.
      ...(notes.size > 0
        ? []
        : [`insert into ${NOTES} select key, value from ${SYNCED}.main.${NOTES} where key = 'privacy'`]),
    ].join(';\n'),
  )
}
