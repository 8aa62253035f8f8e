import type { Kysely } from 'kysely'
import type { Client } from '../client/client.ts'
import { RATE_LIMITS } from '../contract/limits.ts'
import type { Effects } from '../effects.ts'
import type { Resource } from '../resources/resource.ts'
import type { Published } from '../warehouse/published.ts'
import { peekWarehouse } from '../warehouse/read/peek.ts'
import type { Database } from '../warehouse/schema/database.ts'
import { checkAccountName } from './account-name.ts'
import { estimate } from './estimate.ts'
import { unfinishedRuns } from './ledger.ts'
import { probe } from './probe.ts'
import type { Slice, SyncScope } from './slice.ts'
import { planResource } from './strategies.ts'

export interface Preview {
  readonly slices: readonly Slice[]
  /** Tables whose records are requested by ids that are not known yet. */
  readonly following: readonly string[]
  readonly followingRequests: number
  /** Estimated number of all requests, including those for history that was never read. */
  readonly requests: number
  /** Duration if the requests use the full quota. */
  readonly seconds: number
}

export interface PreviewOptions {
  readonly client: Client
  readonly published: Published
  readonly resources: readonly Resource[]
  readonly known: readonly Resource[]
  readonly scope: (now: number) => SyncScope
  readonly quota: number
  readonly effects: Effects
  readonly signal: AbortSignal
  readonly accountId?: bigint | undefined
  readonly accountName?: string | null
}

/**
 * Plans a sync without writing anything. Requests the service's clock, and a sample of each window that was never read.
 */
export async function previewSync(options: PreviewOptions): Promise<Preview> {
  const { published } = options
  const { now, accountId } = await probe(options)
  const scope = options.scope(now)
  await checkAccountName(published, { accountId, name: options.accountName ?? null })
  const look = async (db: Kysely<Database>) => {
    const chain = await unfinishedRuns(db, accountId, now)
    const context = { ...scope, db, accountId, chainStart: chain.startedAt, chain: chain.runs }
    const planned: Slice[] = []
    for (const resource of options.resources) planned.push(...(await planResource(context, resource)))
    const { client, signal } = options
    const estimated = await estimate({ client, scope, signal }, options.resources, planned)
    const { slices, following: followingRequests } = estimated
    const requests = slices.reduce((sum, slice) => sum + slice.requests, followingRequests)
    // After the first sync, new records contain few unknown ids, so these tables are not estimated.
    const isFirst = slices.some(({ reason }) => reason === 'backfill')
    const byIds = options.resources.filter(({ read }) => isFirst && read.kind === 'ids')
    const following = byIds.map(({ table }) => table)
    const seconds = secondsAtQuota(requests, options.quota)
    return { slices, following, followingRequests, requests, seconds }
  }
  return peekWarehouse(published, accountId, options.known, look)
}

/** Returns the seconds that the requests take, assuming that no request was sent just before. */
function secondsAtQuota(requests: number, quota: number): number {
  return RATE_LIMITS.reduce(
    (longest, limit) => {
      const each = Math.max(1, Math.floor(limit.requests * quota))
      const fullWindows = Math.max(0, Math.ceil(requests / each) - 1)
      return Math.max(longest, (fullWindows * limit.windowMs) / 1_000)
    },
    requests / Math.max(1, RATE_LIMITS[0].requests * quota),
  )
}
