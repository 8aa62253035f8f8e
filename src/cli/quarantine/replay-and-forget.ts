import { type Config, requirePrivacy } from '../../config/config.ts'
import { resources } from '../../resources/index.ts'
import { withPrivacy } from '../../resources/privacy/with-privacy.ts'
import type { Resource } from '../../resources/resource.ts'
import { resolveStorage } from '../../sdk/resolve-storage.ts'
import { openUnderRules, rewriteStoredData } from '../../sync/apply-privacy.ts'
import { readWatermark } from '../../sync/ledger.ts'
import { type Replayed, replayQuarantine } from '../../sync/replay.ts'
import { noWarehouse, workingAccounts } from '../../warehouse/file/files.ts'
import type { Warehouse } from '../../warehouse/warehouse.ts'
import type { Context } from '../context.ts'
import type { QuarantinedRecord } from './quarantined-records.ts'

/** Validates the quarantined records of every account again. Returns 0 if none remain in quarantine. */
export async function replay(
  { console }: Context,
  config: Config,
  options: { readonly json?: boolean | undefined },
): Promise<number> {
  const published = await resolveStorage(config.warehouse)
  const accounts = new Set([...workingAccounts(published.files), ...(await published.accounts()).keys()])
  if (accounts.size === 0) throw noWarehouse(published.files)
  const all = { loaded: 0, outdated: 0, waiting: 0, published: false }
  for (const account of accounts) {
    const { result, published } = await changing(config, account, async (warehouse, known) => {
      const replayed = await replayQuarantine(warehouse, known)
      return { result: replayed, isChanged: replayed.loaded + replayed.outdated > 0 }
    })
    for (const count of ['loaded', 'outdated', 'waiting'] as const) all[count] += result[count]
    all.published ||= published
  }
  console.out(options.json ? JSON.stringify(all) : replayText(all))
  return all.waiting === 0 ? 0 : 1
}

/**
 * Discards a quarantined record. This is useful if no valid copy can replace it, for example because it has no key. If
 * the service returns the record again, it is quarantined again.
 */
export async function forget({ console }: Context, config: Config, one: QuarantinedRecord): Promise<number> {
  await changing(config, one.account_id as bigint, async ({ db }) => {
    const { numDeletedRows } = await db
      .deleteFrom('quarantine')
      .where('resource', '=', one.resource)
      .where('payload', '=', one.payload)
      .executeTakeFirstOrThrow()
    return { result: numDeletedRows, isChanged: numDeletedRows > 0n }
  })
  console.out(`Discarded record ${one.id} of ${one.resource}.`)
  return 0
}

/** Locks an account as a sync does, changes it, and publishes the result immediately. */
async function changing<Result>(
  config: Config,
  accountId: bigint,
  act: (warehouse: Warehouse, known: readonly Resource[]) => Promise<{ result: Result; isChanged: boolean }>,
): Promise<{ result: Result; published: boolean }> {
  const known = withPrivacy(resources, requirePrivacy(config))
  const published = await resolveStorage(config.warehouse)
  await rewriteStoredData(published, known)
  const warehouse = await openUnderRules(published, known, {
    accountId,
    memoryLimit: config.sync.memoryLimit,
  })
  try {
    const { result, isChanged } = await act(warehouse, known)
    // Readers keep the last published rows of a partly synced account.
    const isShown = isChanged && (await readWatermark(warehouse.db, accountId)).isComplete
    if (isShown) await warehouse.publish()
    return { result, published: isShown }
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
