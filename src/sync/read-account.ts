import type { Client } from '../client/client.ts'
import { ConfigError } from '../errors.ts'
import type { Resource } from '../resources/resource.ts'
import type { Settings } from '../settings/settings.ts'
import { DamagedFile, isDamage } from '../warehouse/file/damage.ts'
import type { Published } from '../warehouse/published.ts'
import { checkAccountName, recordName } from './account-name.ts'
import { openUnderRules } from './apply-privacy.ts'
import { probe, windowsAtOnce } from './probe.ts'
import { type RunOptions, runSync } from './run-sync.ts'
import type { SyncScope } from './slice.ts'
import { noticeIfSlow } from './slow-operation-notice.ts'

export interface SyncedAccount {
  readonly name: string | null
  /** Creates a client, which the caller must close. @throws ConfigError if the address or key is missing */
  readonly connect: () => Client
  /** The account in the configuration, to compare with the account of the app key. */
  readonly accountId?: bigint | undefined
  /** Returns what to read. `now` is the service's time in Unix seconds. */
  readonly scope: (now: number) => SyncScope
}

export interface ReadOptions
  extends Pick<RunOptions, 'resources' | 'effects' | 'version' | 'signal' | 'onProgress'> {
  /** Number of windows to read in parallel (default: derived from the round trip to the service). */
  readonly concurrency?: number | undefined
  readonly published: Published
  readonly memoryLimit?: string
  readonly settings?: Settings
  /** All existing resources. Their tables are created even if only some are synced. */
  readonly known: readonly Resource[]
  readonly onNotice?: (sentence: string) => void
}

export interface AccountSync extends ReadOptions {
  /** Name by account id, to detect two names for one account. */
  readonly claimed: Map<bigint, string | null>
  /** Prepares the warehouse. All accounts share one call. */
  readonly prepare: () => Promise<void>
}

/** Reads one account. Leaves its working file open, so that the caller can publish it. */
export async function readAccount(sync: AccountSync, { name, connect, scope, ...account }: SyncedAccount) {
  const { published, known, memoryLimit, settings, claimed } = sync
  sync.signal.throwIfAborted()
  const client = connect()
  const { now, accountId, roundTripMs } = await probe({ ...sync, client, accountId: account.accountId })
  const scopeNow = scope(now)
  if (claimed.has(accountId))
    throw new ConfigError(`"${claimed.get(accountId)}" and "${name}" are the same account ${accountId}.`, {
      next: 'Give each its own app key, or remove one from `accounts` in config.json.',
    })
  claimed.set(accountId, name)
  const warehouse = await noticeIfSlow('Opening the published data', sync, async () => {
    await checkAccountName(published, { accountId, name })
    await sync.prepare()
    return openUnderRules(published, known, { accountId, memoryLimit, settings })
  })
  try {
    await recordName(warehouse.db, { accountId, name })
    const concurrency = sync.concurrency ?? windowsAtOnce(roundTripMs)
    // Without the lease, another process reads this account under the same rate limits, so this run stops.
    const signal = AbortSignal.any([sync.signal, warehouse.lease.lost])
    const own = { client, warehouse, scope: scopeNow, accountId, accountName: name, concurrency, signal }
    return { warehouse, summary: await runSync({ ...sync, ...own }) }
  } catch (error) {
    await warehouse.close()
    throw isDamage(error) ? new DamagedFile(warehouse.files.working, error) : error
  }
}
