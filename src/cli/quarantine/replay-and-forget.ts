import { type Config, requirePrivacy } from '../../config/config.ts'
import { resources } from '../../resources/index.ts'
import { withPrivacy } from '../../resources/privacy/with-privacy.ts'
import type { Resource } from '../../resources/resource.ts'
import { resolveStorage } from '../../sdk/resolve-storage.ts'
import { openUnderRules, rewriteStoredData } from '../../sync/apply-privacy.ts'
import { readWatermark } from '../../sync/ledger.ts'
import { type Replayed, replayQuarantine } from '../../sync/replay.ts'
import { noWarehouse, workingAccounts } from '../../warehouse/file/files.ts'
import type { Cell } from '../../warehouse/read/cell.ts'
import type { Warehouse } from '../../warehouse/warehouse.ts'
import type { Flags } from '../command.ts'
import type { Context } from '../context.ts'

/** Validates the quarantined records of every account again. Returns exit status 0 if none remain in quarantine. */
export async function replay({ console }: Context, config: Config, { json }: Flags<'json'>): Promise<number> {
  const published = await resolveStorage(config.warehouse)
  const accounts = new Set([...workingAccounts(published.files), ...(await published.accounts()).keys()])
  if (accounts.size === 0) throw noWarehouse(published.files)
  const all = { loaded: 0, outdated: 0, waiting: 0, published: false }
  for (const account of accounts) {
    const isShown = await changing(config, account, async (warehouse, known) => {
      const replayed = await replayQuarantine(warehouse, known)
      for (const count of ['loaded', 'outdated', 'waiting'] as const) all[count] += replayed[count]
      return replayed.loaded + replayed.outdated > 0
    })
    all.published ||= isShown
  }
  console.out(json ? JSON.stringify(all) : replayText(all))
  return all.waiting === 0 ? 0 : 1
}

/** Discards a quarantined record. If the service returns it again, it is quarantined again. */
export async function forget(
  { console }: Context,
  config: Config,
  one: Record<'id' | 'resource' | 'payload', string> & { readonly account_id: Cell },
): Promise<number> {
  await changing(config, one.account_id as bigint, async ({ db }) => {
    const { numDeletedRows } = await db
      .deleteFrom('quarantine')
      .where('resource', '=', one.resource)
      .where('payload', '=', one.payload)
      .executeTakeFirstOrThrow()
    return numDeletedRows > 0n
  })
  console.out(`Discarded record ${one.id} of ${one.resource}.`)
  return 0
}

/** Locks an account like a sync, and publishes the account if `act` returns true. @returns whether it was published */
async function changing(
  config: Config,
  accountId: bigint,
  act: (warehouse: Warehouse, known: readonly Resource[]) => Promise<boolean>,
): Promise<boolean> {
  const known = withPrivacy(resources, requirePrivacy(config))
  const published = await resolveStorage(config.warehouse)
  await rewriteStoredData(published, known)
  const { memoryLimit } = config.sync
  const warehouse = await openUnderRules(published, known, { accountId, memoryLimit })
  try {
    const isChanged = await act(warehouse, known)
    // If the last sync of the account was incomplete, publishes nothing, and readers keep the earlier rows.
    const isShown = isChanged && (await readWatermark(warehouse.db, accountId)).isComplete
    if (isShown) await warehouse.publish()
    return isShown
  } finally {
    await warehouse.close()
  }
}

function replayText({ loaded, outdated, waiting }: Replayed): string {
  const count = (rows: number) => rows.toLocaleString('en')
  const parts = [
    `${count(loaded)} ${loaded === 1 ? 'record is now valid and was' : 'records are now valid and were'} loaded`,
  ]
  if (outdated > 0) parts.push(`${count(outdated)} valid but outdated by a newer copy`)
  parts.push(`${count(waiting)} still quarantined`)
  return `${parts.join('; ')}.`
}
