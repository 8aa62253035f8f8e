import type { Lake } from '../../config/lake.ts'
import { tablesOfAccounts } from '../contents.ts'
import { narrowedTo, type Removed } from '../file/remove-from-file.ts'
import { literal } from '../quote.ts'
import { ACCOUNT } from '../schema/tables.ts'
import { inLake, LAKE, lakeError, onPublished } from './catalogue.ts'
import { leaseAccount, leasedError, leasePublishing } from './leases.ts'
import { forgetFormer } from './maintain-lake.ts'

/**
 * Takes an account out of a lake, and forgets all former states of it, with their files: no row of it is left. Interrupted, it is
 * completed by doing it again.
 * @throws WarehouseError when it is being synced
 */
export async function removeFromLake(lake: Lake, removed: Removed): Promise<void> {
  const { accountId } = removed
  const publishing = await leasePublishing(lake)
  try {
    const lease = await leaseAccount(lake, accountId)
    if (lease === undefined) throw await leasedError(lake, accountId)
    try {
      await onPublished(lake, undefined, async (connection) => {
        const names = narrowedTo(removed).map(literal).join(', ')
        await connection.run('begin')
        for (const table of await tablesOfAccounts(connection, LAKE))
          await connection.run(`delete from ${inLake(table)} where ${ACCOUNT.name} = ${accountId}`)
        await connection.run(`delete from ${inLake('report_runs')}
          where list_has_any(list_transform(string_split(account, ','), lambda one: trim(one)), [${names}])`)
        await lease.confirm()
        await publishing.confirm()
        await connection.run('commit')
      })
      await forgetFormer(lake)
    } finally {
      await lease.release()
    }
  } catch (cause) {
    throw lakeError(lake, cause)
  } finally {
    await publishing.release()
  }
}
