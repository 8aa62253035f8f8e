import type { DuckDBConnection } from '@duckdb/node-api'
import { quoteLiteral } from '../definitions/quote.ts'
import { ACCOUNT } from '../definitions/tables.ts'
import { WarehouseError } from '../errors.ts'
import type { Lake } from '../settings/lake.ts'
import { columnsOf, contentOf } from '../warehouse/content-hash.ts'
import type { Lease, Repaired } from '../warehouse/published.ts'
import { inLake, LAKE, onPublished } from './catalog.ts'
import { asking, findCorruptTables, NOTES, newest, PUBLISHED } from './lake-tables.ts'
import { leaseFreeAccount, whilePublishing } from './leases.ts'

/**
 * Repairs accounts that two processes published at the same time. For each table, keeps the rows of one commit, if
 * their values match the values that the commit recorded.
 * @throws WarehouseError if an account is being synced, or if no rows match the published ones. In both cases, the
 * account is unchanged
 */
export async function repair(lake: Lake): Promise<Repaired[]> {
  return whilePublishing(lake, (publishing) =>
    onPublished(lake, [], async (connection) => {
      const wrong = await findCorruptTables(asking(connection))
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
  const ask = asking(connection)
  try {
    await connection.run('begin')
    // The first commit had the lease. The late commit had lost its lease.
    const ledger = inLake(PUBLISHED.name)
    const own = `where ${ACCOUNT.name} = ${accountId}`
    const last = `(select max(publication) from ${ledger} ${own})`
    const ofLast = `${own} and publication is not distinct from ${last}`
    const [[kept]] = (await ask(`select min(snapshot_id) from ${ledger} ${ofLast}`)) as [[bigint]]
    await connection.run(`delete from ${ledger} ${ofLast} and snapshot_id <> ${kept}`)
    const published = await ask(
      `select table_name, row_count, digest from ${newest(ledger, accountId)} where table_name <> ${quoteLiteral(NOTES)}`,
    )
    const columns = await columnsOf(connection, LAKE)
    for (const [table, rows, digest] of published as [string, bigint, string][]) {
      const from = { table, columns: columns.get(table)!, accountId }
      await keepOne(connection, from, { rows, digest })
    }
    const left = await findCorruptTables(ask, accountId)
    if (left.length > 0) throw notProven(accountId, left[0]!.table)
    await lease.confirm()
    await publishing.confirm()
    await connection.run('commit')
  } catch (error) {
    await connection.run('rollback').catch(() => undefined)
    throw error
  } finally {
    await lease.release()
  }
}

/** Keeps the rows of one commit of an account, if they match the recorded content. */
async function keepOne(
  connection: DuckDBConnection,
  from: { readonly table: string; readonly columns: readonly string[]; readonly accountId: bigint },
  published: { readonly rows: bigint; readonly digest: string },
): Promise<void> {
  const { table, columns, accountId } = from
  const [[version]] = (await asking(connection)('select version()')) as [[string]]
  const isComparable = published.digest.startsWith(`${version} ${columns.length} `)
  const isPublished = async (rows: string) => {
    const content = await contentOf(connection, rows, columns, accountId)
    return isComparable ? content.digest === published.digest : content.rows === published.rows
  }
  if (await isPublished(inLake(table))) return
  const own = `${inLake(table)} where ${ACCOUNT.name} = ${accountId}`
  const commits = await asking(connection)(`select distinct snapshot_id from ${own} order by 1`)
  for (const [commit] of commits as [bigint][]) {
    // First tries only the rows of this commit. For a table that only gained rows, then tries the rows of all other
    // commits.
    for (const [kept, gone] of [
      ['=', '<>'],
      ['<>', '='],
    ]) {
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
