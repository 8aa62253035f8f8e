import type { DuckDBConnection } from '@duckdb/node-api'
import { ACCOUNT } from '../definitions/tables.ts'
import { inTransaction } from '../definitions/views.ts'
import { WarehouseError } from '../errors.ts'
import type { Lake } from '../settings/lake.ts'
import { type Content, columnsOf, contentOf } from '../warehouse/content-hash.ts'
import type { Lease, Repaired } from '../warehouse/published.ts'
import { inLake, LAKE, onPublished } from './catalog.ts'
import { findCorruptTables, NOTES, PUBLISHED, publishedTables } from './lake-tables.ts'
import { leaseFreeAccount, whilePublishing } from './leases.ts'

/**
 * Repairs accounts that two processes published at the same time. Keeps the rows of only one commit per table.
 * @throws WarehouseError if an account is being synced, or if the rows of no commit match what was published
 */
export async function repair(lake: Lake): Promise<Repaired[]> {
  return whilePublishing(lake, (publishing) =>
    onPublished(lake, [], async (connection) => {
      const wrong = await findCorruptTables(connection)
      const repaired: Repaired[] = []
      for (const accountId of new Set(wrong.map((one) => one.accountId))) {
        const own = wrong.filter((one) => one.accountId === accountId && one.table !== NOTES)
        await repairAccount(lake, publishing, connection, accountId)
        const tables = own.map(({ table, rows, published }) => ({ table, before: rows, after: published }))
        repaired.push({ accountId, tables })
      }
      return repaired
    }),
  )
}

async function repairAccount(
  lake: Lake,
  publishing: Lease,
  connection: DuckDBConnection,
  accountId: bigint,
): Promise<void> {
  const lease = await leaseFreeAccount(lake, accountId)
  await inTransaction(connection, async () => {
    // Keeps the first commit, because the process that made the second one had lost its lease.
    const ledger = inLake(PUBLISHED.name)
    const own = `where ${ACCOUNT.name} = ${accountId}`
    const last = `(select max(publication) from ${ledger} ${own})`
    const ofLast = `${own} and publication is not distinct from ${last}`
    await connection.run(`delete from ${ledger} ${ofLast}
      and snapshot_id <> (select min(snapshot_id) from ${ledger} ${ofLast})`)
    for (const [table, published] of await publishedTables(connection, accountId))
      if (table !== NOTES) await keepOne(connection, table, accountId, published)
    const [left] = await findCorruptTables(connection, accountId)
    if (left) throw notProven(accountId, left.table)
    await lease.confirm()
    await publishing.confirm()
  }).finally(() => lease.release())
}

/** Deletes rows until the rest matches what was published. @throws WarehouseError if that is impossible */
async function keepOne(
  connection: DuckDBConnection,
  table: string,
  accountId: bigint,
  published: Content,
): Promise<void> {
  const columns = (await columnsOf(connection, LAKE)).get(table)!
  const [[version]] = (await connection.runAndReadAll('select version()')).getRows() as [[string]]
  const isComparable = published.digest.startsWith(`${version} ${columns.length} `)
  const isPublished = async (rows: string) => {
    const content = await contentOf(connection, rows, columns, accountId)
    return isComparable ? content.digest === published.digest : content.rows === published.rows
  }
  if (await isPublished(inLake(table))) return
  const own = `${inLake(table)} where ${ACCOUNT.name} = ${accountId}`
  const commits = await connection.runAndReadAll(`select distinct snapshot_id from ${own} order by 1`)
  for (const [commit] of commits.getRows() as [bigint][]) {
    // Keeps only this commit's rows if they match what was published. Otherwise, keeps only the other rows if those
    // match, because the published rows can come from several commits.
    for (const [kept, gone] of ['= <>', '<> ='].map((pair) => pair.split(' '))) {
      if (!(await isPublished(`(select * from ${inLake(table)} where snapshot_id ${kept} ${commit})`)))
        continue
      await connection.run(`delete from ${own} and snapshot_id ${gone} ${commit}`)
      return
    }
  }
  throw notProven(accountId, table)
}

function notProven(accountId: bigint, table: string): WarehouseError {
  return new WarehouseError(
    `Account ${accountId} cannot be repaired: no rows of ${table} match what was published.`,
    {
      next: `Remove it with \`faultline account remove ${accountId}\`, then sync it again.`,
    },
  )
}
