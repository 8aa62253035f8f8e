import { quoteLiteral } from '../definitions/quote.ts'
import { ACCOUNT } from '../definitions/tables.ts'
import { inTransaction } from '../definitions/views.ts'
import type { Lake } from '../settings/lake.ts'
import { tablesOfAccounts } from '../warehouse/content-hash.ts'
import { narrowedTo, type Removed } from '../warehouse/file/remove-from-file.ts'
import { inLake, LAKE, onPublished } from './catalog.ts'
import { leaseFreeAccount, whilePublishing } from './leases.ts'
import { expireSnapshots } from './maintain-lake.ts'

/**
 * Removes an account, and all old snapshots because they contain its rows. A second call completes an interrupted
 * removal.
 */
export async function removeFromLake(lake: Lake, removed: Removed): Promise<void> {
  const { accountId } = removed
  await whilePublishing(lake, async (publishing) => {
    const lease = await leaseFreeAccount(lake, accountId)
    try {
      await onPublished(lake, undefined, (connection) =>
        inTransaction(connection, async () => {
          const names = narrowedTo(removed).map(quoteLiteral).join(', ')
          for (const table of await tablesOfAccounts(connection, LAKE))
            await connection.run(`delete from ${inLake(table)} where ${ACCOUNT.name} = ${accountId}`)
          await connection.run(`delete from ${inLake('report_runs')}
            where list_has_any(list_transform(string_split(account, ','), lambda one: trim(one)), [${names}])`)
          await lease.confirm()
          await publishing.confirm()
        }),
      )
      await expireSnapshots(lake)
    } finally {
      await lease.release()
    }
  })
}
