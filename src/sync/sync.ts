import type { Client } from '../client/client.ts'
import { ConfigError, FaultlineError, WarehouseError } from '../errors.ts'
import type { Resource } from '../resources/resource.ts'
import type { Settings } from '../settings.ts'
import type { Warehouse } from '../warehouse/warehouse.ts'
import { checkClaim, noteAccount } from './claim.ts'
import { halfWay } from './ledger.ts'
import { openUnderRules } from './open-under-rules.ts'
import { probe } from './probe.ts'
import { type RunOptions, type RunSummary, runSync } from './run.ts'
import type { SyncScope } from './scope.ts'
import { windowsAtOnce } from './windows-at-once.ts'

/** An account to read, and what is its own. */
export interface SyncedAccount {
  /** What the configuration calls it; null for one that is alone and has no name. */
  readonly name: string | null
  /** Its client; whoever made it closes it. @throws ConfigError when address or key is missing */
  readonly connect: () => Client
  /** The account as the configuration says it; the service is asked in any case. */
  readonly accountId?: bigint | undefined
  /** What to read, given the service's time in Unix seconds. */
  readonly scope: (now: number) => SyncScope
}

interface Common extends Pick<RunOptions, 'resources' | 'effects' | 'version' | 'signal' | 'onProgress'> {
  /** Windows read side by side; as many as the service's round trip asks for unless given. */
  readonly concurrency?: number | undefined
  /** Path of the published warehouse. */
  readonly path: string
  readonly memoryLimit?: string
  /** What figures are judged by, for the tables `config_*`. */
  readonly settings?: Settings
  /** Every resource there is: their tables exist even when only some are synced. */
  readonly known: readonly Resource[]
}

export interface AccountsOptions extends Common {
  readonly accounts: readonly SyncedAccount[]
}

/** What came of one account: its run, or why there was none. */
export type AccountOutcome =
  | { readonly name: string | null; readonly accountId: bigint; readonly summary: RunSummary }
  | { readonly name: string | null; readonly error: FaultlineError }

export interface AccountsResult {
  readonly outcomes: readonly AccountOutcome[]
  /** Whether readers see now what was read. */
  readonly published: boolean
}

/**
 * Syncs accounts one after another: for each, is its service there, whose key is it, and one run; then publish. An
 * account that fails is told and does not stop the others; what ends everything is a warehouse that cannot be written,
 * or a stop.
 *
 * Readers see whole runs only, of every account. An account is half-way while the last of its runs that read windows did
 * not read all of them: it was killed, or a window failed. So the working file is published when a run of this sync was
 * whole, but with the rows that readers had before for every account that is half-way, whether or not it is configured
 * or was read now (`holdBack`). Hence nobody waits for anybody: neither for a key that was revoked half-way, nor for an
 * account whose first reading takes several nights and goes on in the working file meanwhile. An account that fails
 * before its run began has written nothing and is published as it was.
 * @throws what ends everything; and when the warehouse file cannot be opened, before anything is written
 */
export async function syncAccounts(options: AccountsOptions): Promise<AccountsResult> {
  const outcomes: AccountOutcome[] = []
  let warehouse: Warehouse | undefined
  try {
    for (const account of options.accounts) {
      const { name } = account
      try {
        const client = account.connect()
        const { now, accountId, roundTripMs } = await probe({
          ...options,
          client,
          accountId: account.accountId,
        })
        const scope = account.scope(now)
        warehouse ??= await open(options, accountId)
        const same = outcomes.find((one) => 'summary' in one && one.accountId === accountId)
        if (same) throw twice(accountId, same.name, name)
        await checkClaim(warehouse.db, { accountId, name }, options)
        await noteAccount(warehouse.db, { accountId, name })
        const concurrency = options.concurrency ?? windowsAtOnce(roundTripMs)
        const run = { ...options, client, warehouse, scope, accountId, accountName: name, concurrency }
        outcomes.push({ name, accountId, summary: await runSync(run) })
      } catch (error) {
        if (options.signal.aborted || error instanceof WarehouseError || !(error instanceof FaultlineError)) {
          throw error
        }
        outcomes.push({ name, error })
      }
    }
    const isWhole = outcomes.some((one) => 'summary' in one && one.summary.whole)
    if (warehouse && isWhole) await warehouse.publish(await halfWay(warehouse.db))
    return { outcomes, published: isWhole }
  } finally {
    await warehouse?.close()
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
 * One whole sync of an account that has the warehouse for itself; see `syncAccounts`.
 * @throws before anything is written, when the key, the address or the warehouse file is wrong
 */
export async function sync({ client, accountId, scope, ...options }: SyncOptions): Promise<SyncResult> {
  const { outcomes, published } = await syncAccounts({
    ...options,
    accounts: [{ name: null, connect: () => client, accountId, scope }],
  })
  const [only] = outcomes
  if (!only || 'error' in only) throw only?.error
  return { ...only.summary, published }
}

function open(
  { path, known, effects, memoryLimit, settings }: Common,
  accountId: bigint,
): Promise<Warehouse> {
  return openUnderRules(path, known, {
    now: effects.now(),
    accountId,
    ...(memoryLimit === undefined ? {} : { memoryLimit }),
    ...(settings === undefined ? {} : { settings }),
  })
}

function twice(accountId: bigint, first: string | null, second: string | null): ConfigError {
  return new ConfigError(`"${first}" and "${second}" are the same account ${accountId}.`, {
    next: 'Give each its own app key, or take one out of `accounts` in config.json.',
  })
}
