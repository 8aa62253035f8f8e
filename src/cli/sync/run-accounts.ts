import { availableParallelism, totalmem } from 'node:os'
import type { Client } from '../../client/client.ts'
import type { Account } from '../../config/accounts-section.ts'
import { type Config, requirePrivacy } from '../../config/config.ts'
import { parseMoment } from '../../config/parse-timestamp.ts'
import { ConfigError } from '../../errors.ts'
import { resources as allResources, pickResources } from '../../resources/index.ts'
import { withPrivacy } from '../../resources/privacy/with-privacy.ts'
import { resolveStorage } from '../../sdk/resolve-storage.ts'
import { type AccountsResult, syncAccounts } from '../../sync/sync-accounts.ts'
import { version } from '../../version.ts'
import type { Flags, Texts } from '../command.ts'
import { consoleEffects } from '../console.ts'
import type { Context } from '../context.ts'
import { openClient } from '../open-client.ts'
import { startOfDayIn } from '../option-dates.ts'
import { progressTo } from './progress.ts'
import { trackProgress } from './progress-file.ts'

/** Options of `faultline sync` that choose what to read. `since` and `until` are dates, times or ages. */
export type SyncChoices = Texts<'since' | 'until'> & Flags<'full' | 'acceptVanished' | 'acceptUnproven'>

interface SyncRequest extends SyncChoices {
  readonly resources?: readonly string[]
  readonly jobs?: number | undefined
}

export type OpenAccounts = Awaited<ReturnType<typeof openAccounts>>

/** Prepares accounts for a sync or its preview. `close` closes their clients. */
export async function openAccounts(
  context: Context,
  config: Config,
  accounts: readonly Account[],
  request: SyncRequest,
) {
  const known = withPrivacy(allResources, requirePrivacy(config))
  const { resources: names = [] } = request
  const resources = pickResources(names.length > 0 ? names : config.resources, known)
  const effects = consoleEffects(context.console, context.verbose)
  const published = await resolveStorage(config.warehouse)
  const clients: Client[] = []
  return {
    accounts: accounts.map((account) => ({
      ...{ name: account.name ?? null, accountId: account.accountId, quota: account.quota },
      scope: scopeOf(config, account, request),
      connect() {
        const client = openClient(context, account, { effects })
        clients.push(client)
        return client
      },
    })),
    common: { published, resources, known, effects, signal: context.signal },
    async close() {
      for (const client of clients) await client.close()
    },
  }
}

export async function runAccounts(
  context: Context,
  config: Config,
  accounts: readonly Account[],
  request: SyncRequest = {},
): Promise<AccountsResult> {
  const { accounts: opened, common, close } = await openAccounts(context, config, accounts, request)
  const underWay = trackProgress(common.published, common.effects)
  const quota = Math.max(...accounts.map((account) => account.quota))
  try {
    return await syncAccounts({
      ...common,
      accounts: opened,
      memoryLimit: config.sync.memoryLimit,
      settings: config.settings,
      concurrency: config.sync.concurrency,
      jobs: request.jobs ?? config.sync.jobs ?? enoughJobs(),
      version,
      onNotice: (sentence) => context.console.note(sentence),
      onProgress: progressTo(context.console, quota, common.effects, underWay.note),
    })
  } finally {
    underWay.end()
    await close()
  }
}

/** Accounts that one core can sync. With the rate limits, one account needs less than a quarter of a core. */
const ACCOUNTS_A_CORE = 4
/** Maximum memory that the sync of one account uses, including DuckDB. */
const BYTES_AN_ACCOUNT = 512 * 1024 ** 2

/** Returns how many accounts can be synced in parallel with the available cores and half of the memory. */
function enoughJobs(): number {
  // `constrainedMemory` is the memory limit of a container. It is 0 or undefined if there is no limit.
  const memory = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)
  const enough = Math.floor(memory / 2 / BYTES_AN_ACCOUNT)
  return Math.max(1, Math.min(ACCOUNTS_A_CORE * availableParallelism(), enough))
}

function scopeOf(config: Config, account: Account, asked: SyncRequest) {
  const { name } = account
  const field = name === undefined ? 'sync.since' : `since of the account "${name}"`
  const where = asked.since ? '--since' : field
  const startOfDay = startOfDayIn(config)
  return (now: number) => {
    const since = parseMoment(asked.since ?? account.since, now, where, startOfDay)
    const until = asked.until === undefined ? undefined : parseMoment(asked.until, now, '--until', startOfDay)
    if (since >= (until ?? now)) {
      const next = `Set an earlier ${where}${until === undefined ? '' : ' or a later --until'}.`
      const message = 'The time range is empty: the oldest incidents to sync must be before the newest.'
      throw new ConfigError(message, { next })
    }
    return {
      ...{ now, since },
      ...(until === undefined ? {} : { until }),
      lookbackDays: config.sync.lookbackDays,
      windowSeconds: config.sync.windowDays,
      full: asked.full ?? false,
      acceptVanished: asked.acceptVanished ?? false,
      acceptUnproven: asked.acceptUnproven ?? false,
    }
  }
}
