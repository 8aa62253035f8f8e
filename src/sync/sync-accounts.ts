import pLimit from 'p-limit'
import type { Client } from '../client/client.ts'
import { FaultlineError } from '../errors.ts'
import { DamagedFile } from '../warehouse/file/damage.ts'
import type { Published } from '../warehouse/published.ts'
import { rewriteStoredData } from './apply-privacy.ts'
import { createPublisher, type Publisher } from './publisher.ts'
import { type AccountSync, type ReadOptions, readAccount, type SyncedAccount } from './read-account.ts'
import type { RunSummary } from './run-sync.ts'

interface AccountsOptions extends ReadOptions {
  readonly accounts: readonly SyncedAccount[]
  readonly jobs: number
}

export type AccountOutcome =
  | {
      readonly name: string | null
      readonly accountId: bigint
      readonly summary: RunSummary
      readonly published: boolean
    }
  | { readonly name: string | null; readonly error: FaultlineError }

export interface AccountsResult {
  /** In the order of `accounts`. */
  readonly outcomes: readonly AccountOutcome[]
  readonly published: boolean
}

/** Syncs accounts in parallel and publishes the complete ones. Readers keep the published rows of a failed account. */
export async function syncAccounts(options: AccountsOptions): Promise<AccountsResult> {
  const { accounts, published } = options
  const stopping = new AbortController()
  const signal = AbortSignal.any([options.signal, stopping.signal])
  const publisher = createPublisher(accounts.length, options)
  const limit = pLimit(options.jobs)
  let ready: Promise<void> | undefined
  const prepare = async () => {
    for (const done of [() => published.adopt(), () => rewriteStoredData(published, options.known)]) {
      const notice = await done()
      if (notice !== undefined) options.onNotice?.(notice)
    }
  }
  const sync = {
    ...options,
    signal,
    publisher,
    claimed: new Map<bigint, string | null>(),
    prepare: () => {
      ready ??= prepare().catch((error: unknown) => {
        ready = undefined
        throw error
      })
      return ready
    },
  }
  const settled = await Promise.allSettled(
    accounts.map(async (account): Promise<AccountOutcome> => {
      try {
        return await syncAccount(sync, account, limit)
      } catch (error) {
        if (!signal.aborted && error instanceof FaultlineError) return { name: account.name, error }
        stopping.abort(error)
        throw error
      }
    }),
  )
  signal.throwIfAborted()
  const outcomes = settled.map((one) => (one as PromiseFulfilledResult<AccountOutcome>).value)
  return { outcomes, published: outcomes.some((one) => 'summary' in one && one.published) }
}

async function syncAccount(
  sync: AccountSync & { readonly publisher: Publisher },
  account: SyncedAccount,
  limit: ReturnType<typeof pLimit>,
): Promise<AccountOutcome> {
  const { name } = account
  let isDone = false
  const done = () => {
    if (!isDone) sync.publisher.done()
    isDone = true
  }
  const once = async () => {
    const { warehouse, summary } = await limit(() => readAccount(sync, account))
    const { accountId } = warehouse
    done()
    if (summary.complete) await sync.publisher.publish(warehouse)
    else await warehouse.close()
    return { name, accountId, summary, published: summary.complete }
  }
  try {
    return await healing(sync.published, once, (notice) => {
      sync.onNotice?.(notice)
      for (const [id, claimedBy] of sync.claimed) if (claimedBy === name) sync.claimed.delete(id)
    })
  } finally {
    done()
  }
}

export interface SyncOptions extends ReadOptions, Omit<SyncedAccount, 'name' | 'connect'> {
  readonly client: Client
}

export interface SyncResult extends RunSummary {
  readonly published: boolean
}

/** Syncs the only account of a warehouse. @throws before writing anything if the key, address or file is invalid */
export async function sync({ client, accountId, scope, ...options }: SyncOptions): Promise<SyncResult> {
  const { outcomes, published } = await syncAccounts({
    ...options,
    jobs: 1,
    accounts: [{ name: null, connect: () => client, accountId, scope }],
  })
  const [only] = outcomes
  if (!only || 'error' in only) throw only?.error
  return { ...only.summary, published }
}

/** Maximum number of repairs: of a file, its log, and the file that replaces it. */
const MOST_HEALED = 3

/** Runs `act` again after repairing or replacing a damaged file. */
async function healing<Result>(
  published: Published,
  act: () => Promise<Result>,
  onHealed: (notice: string) => void,
): Promise<Result> {
  for (let healed = 0; ; healed++) {
    try {
      return await act()
    } catch (error) {
      if (!(error instanceof DamagedFile) || healed === MOST_HEALED) throw error
      onHealed(await published.heal(error))
    }
  }
}
