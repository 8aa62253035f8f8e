import pLimit from 'p-limit'
import type { Client } from '../client/client.ts'
import type { Place } from '../config/place.ts'
import type { Settings } from '../config/settings.ts'
import { RATE_LIMITS } from '../contract/limits.ts'
import { ConfigError, FaultlineError } from '../errors.ts'
import type { Resource } from '../resources/resource.ts'
import { DamagedFile, isDamage } from '../warehouse/file/damage.ts'
import { publishedAt } from '../warehouse/file-or-lake.ts'
import type { Published } from '../warehouse/published.ts'
import type { Warehouse } from '../warehouse/warehouse.ts'
import { bringUnderRules, openUnderRules } from './apply-privacy.ts'
import { checkClaim, recordName } from './claim.ts'
import { probe } from './probe.ts'
import { createPublisher, type Publisher } from './publisher.ts'
import { type RunOptions, type RunSummary, runSync } from './run.ts'
import { sayIfSlow } from './say-if-slow.ts'
import type { SyncScope } from './slice.ts'

/** An account to read, and what is its own. */
export interface SyncedAccount {
  /** What the configuration calls it; null for one that is alone and has no name. */
  readonly name: string | null
  /** Its client; the caller closes it. @throws ConfigError when address or key is missing */
  readonly connect: () => Client
  /** The account id of the configuration, checked against the service's. */
  readonly accountId?: bigint | undefined
  /** What to read, given the service's time in Unix seconds. */
  readonly scope: (now: number) => SyncScope
}

interface Common extends Pick<RunOptions, 'resources' | 'effects' | 'version' | 'signal' | 'onProgress'> {
  /** Windows of an account read side by side; as many as the service's round trip asks for unless given. */
  readonly concurrency?: number | undefined
  /** Where readers find the warehouse. */
  readonly path: Place
  /** Memory DuckDB may use for each account that is read. */
  readonly memoryLimit?: string
  /** Targets, hours and policies, for the tables `config_*`. */
  readonly settings?: Settings
  /** Every resource there is: their tables exist even when only some are synced. */
  readonly known: readonly Resource[]
  /** Told in a sentence what was damaged or replaced, and what was done about it. */
  readonly onNotice?: (sentence: string) => void
}

interface AccountsOptions extends Common {
  readonly accounts: readonly SyncedAccount[]
  /** Accounts read side by side. */
  readonly jobs: number
}

/** What came of one account: its run, or why there was none. */
export type AccountOutcome =
  | {
      readonly name: string | null
      readonly accountId: bigint
      readonly summary: RunSummary
      /** Whether readers see now what was read. */
      readonly published: boolean
    }
  | { readonly name: string | null; readonly error: FaultlineError }

export interface AccountsResult {
  /** In the order of the accounts. */
  readonly outcomes: readonly AccountOutcome[]
  /** Whether readers see anything new. */
  readonly published: boolean
}

/**
 * Syncs accounts side by side, each by one run into its own working file, and publishes those that were read completely.
 * One that fails delays no other: readers keep its last published rows, and its working file keeps what was read.
 * @throws the signal's reason when it is aborted, or a mistake of our own; all others have ended then
 */
export async function syncAccounts(options: AccountsOptions): Promise<AccountsResult> {
  const { accounts } = options
  const published = publishedAt(options.path)
  const stopping = new AbortController()
  const signal = AbortSignal.any([options.signal, stopping.signal])
  const publisher = createPublisher(accounts.length, { ...options, published })
  const limit = pLimit(options.jobs)
  let ready: Promise<void> | undefined
  const prepare = async () => {
    const notice = await published.adopt()
    if (notice !== undefined) options.onNotice?.(notice)
    await bringUnderRules(published, options.known)
  }
  const sync = {
    ...options,
    signal,
    published,
    publisher,
    claimed: new Map<bigint, string | null>(),
    // Once, and before the first of them is opened.
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
        return await syncHealing(sync, account, limit)
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

interface SharedSync extends Common {
  readonly published: Published
  readonly publisher: Publisher
  /** Accounts that are read in this sync, with their names. */
  readonly claimed: Map<bigint, string | null>
  readonly prepare: () => Promise<void>
}

/** A damaged file is put aside, then its log or its replacement may be damaged too; more is no chance. */
const MOST_HEALED = 3

/** Syncs an account; where a file turns out to be damaged, puts something good in its place and syncs once more. */
async function syncHealing(
  sync: SharedSync,
  account: SyncedAccount,
  limit: ReturnType<typeof pLimit>,
): Promise<AccountOutcome> {
  let isDone = false
  const done = () => {
    if (!isDone) sync.publisher.done()
    isDone = true
  }
  try {
    for (let healed = 0; ; healed++) {
      const outcome = await syncAccount(sync, account, { limit, done }).catch(async (error: unknown) => {
        if (!(error instanceof DamagedFile) || healed === MOST_HEALED) throw error
        const notice = await sync.published.heal(error)
        sync.onNotice?.(notice)
        for (const [id, name] of sync.claimed) if (name === account.name) sync.claimed.delete(id)
      })
      if (outcome) return outcome
    }
  } finally {
    done()
  }
}

async function syncAccount(
  sync: SharedSync,
  account: SyncedAccount,
  { limit, done }: { limit: ReturnType<typeof pLimit>; done: () => void },
): Promise<AccountOutcome> {
  const { name } = account
  const { warehouse, summary } = await limit(() => readAccount(sync, account))
  const { accountId } = warehouse
  done()
  if (summary.complete) await sync.publisher.publish(warehouse)
  else await warehouse.close()
  return { name, accountId, summary, published: summary.complete }
}

/** Reads one account into its working file, which is left open. */
async function readAccount(
  sync: SharedSync,
  { name, connect, scope, ...account }: SyncedAccount,
): Promise<{ warehouse: Warehouse; summary: RunSummary }> {
  const { path, published, known, effects, memoryLimit, settings, claimed } = sync
  sync.signal.throwIfAborted()
  const client = connect()
  const { now, accountId, roundTripMs } = await probe({ ...sync, client, accountId: account.accountId })
  const scopeNow = scope(now)
  if (claimed.has(accountId)) throw twice(accountId, claimed.get(accountId)!, name)
  claimed.set(accountId, name)
  const warehouse = await sayIfSlow('Opening what was published', sync, async () => {
    await checkClaim(published, { accountId, name })
    await sync.prepare()
    return openUnderRules(path, known, { accountId, now: effects.now(), memoryLimit, settings })
  })
  try {
    await recordName(warehouse.db, { accountId, name })
    const concurrency = sync.concurrency ?? windowsAtOnce(roundTripMs)
    // Whoever takes the account over sends requests of its own under the same limits.
    const signal = AbortSignal.any([sync.signal, ...(warehouse.lease ? [warehouse.lease.lost] : [])])
    const own = { client, warehouse, scope: scopeNow, accountId, accountName: name, concurrency, signal }
    const run = { ...sync, ...own }
    return { warehouse, summary: await runSync(run) }
  } catch (error) {
    await warehouse.close()
    throw isDamage(error) ? new DamagedFile(warehouse.files.working, error) : error
  }
}

export interface SyncOptions extends Common, Omit<SyncedAccount, 'name' | 'connect'> {
  readonly client: Client
}

/** A run, and whether its result is what readers see now. */
export interface SyncResult extends RunSummary {
  readonly published: boolean
}

/**
 * Syncs the only account of a warehouse; see `syncAccounts`.
 * @throws before anything is written, when the key, the address or the warehouse file is wrong
 */
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

function twice(accountId: bigint, first: string | null, second: string | null): ConfigError {
  return new ConfigError(`"${first}" and "${second}" are the same account ${accountId}.`, {
    next: 'Give each its own app key, or take one out of `accounts` in config.json.',
  })
}

const LEAST = 8
const MOST = 32

/** The most requests in a millisecond that any limit lets through. */
const RATE = Math.max(...RATE_LIMITS.map(({ requests, windowMs }) => requests / windowMs))

/**
 * Default number of windows of an account to read side by side. The pages of a window come one after another, so it takes
 * one for each request of a round trip to use the limits; twice as many, since the last ones run out unevenly.
 * @param roundTripMs between asking the service and its answer, milliseconds
 */
export function windowsAtOnce(roundTripMs: number): number {
  return Math.min(MOST, Math.max(LEAST, Math.ceil(2 * RATE * roundTripMs)))
}
