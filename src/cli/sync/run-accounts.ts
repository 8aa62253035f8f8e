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
import { consoleEffects } from '../console.ts'
import type { Context } from '../context.ts'
import { openClient } from '../open-client.ts'
import { startOfDayIn } from '../option-dates.ts'
import { progressTo } from './progress.ts'
import { trackProgress } from './progress-file.ts'

export interface SyncRequest {
  readonly resources?: readonly string[] | undefined
  readonly jobs?: number | undefined
  readonly full?: boolean | undefined
  readonly acceptVanished?: boolean | undefined
  readonly acceptUnproven?: boolean | undefined
  /** As the user writes it, such as a date, a time or an age. */
  readonly since?: string | undefined
  readonly until?: string | undefined
}

/** Prepares accounts for a sync or a plan. `close` closes their clients. */
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
  const opened = accounts.map((account) => ({
    name: account.name ?? null,
    accountId: account.accountId,
    scope: scopeOf(config, account, request),
    quota: account.quota,
    connect() {
      const client = openClient(context, config, { effects }, account)
      clients.push(client)
      return client
    },
  }))
  return {
    accounts: opened,
    common: { published, resources, known, effects, signal: context.signal },
    async close() {
      for (const client of clients) await client.close()
    },
  }
}

/** Syncs accounts in parallel like `faultline sync`, with progress on the console. */
export async function runAccounts(
  context: Context,
  config: Config,
  accounts: readonly Account[],
  request: SyncRequest = {},
): Promise<AccountsResult> {
  const opened = await openAccounts(context, config, accounts, request)
  const { common } = opened
  const underWay = trackProgress(common.published, common.effects)
  const quota = Math.max(...accounts.map((account) => account.quota))
  try {
    return await syncAccounts({
      ...common,
      accounts: opened.accounts,
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
    await opened.close()
  }
}

/** Because of the rate limits, an account needs less than a quarter of a core. */
const ACCOUNTS_A_CORE = 4
/** Upper limit of the memory for one account, including DuckDB. */
const BYTES_AN_ACCOUNT = 512 * 1024 ** 2

/** Returns the number of parallel accounts that the cores and half of the memory support. */
function enoughJobs(): number {
  // The memory limit of a container. 0 or undefined if there is none.
  const memory = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)
  const enough = Math.floor(memory / 2 / BYTES_AN_ACCOUNT)
  return Math.max(1, Math.min(ACCOUNTS_A_CORE * availableParallelism(), enough))
}

function scopeOf(config: Config, account: Account, asked: SyncRequest) {
  const where = asked.since
    ? '--since'
    : account.name === undefined
      ? 'sync.since'
      : `since of the account "${account.name}"`
  const startOfDay = startOfDayIn(config)
  return (now: number) => {
    const since = parseMoment(asked.since ?? account.since, now, where, startOfDay)
    const until = asked.until === undefined ? undefined : parseMoment(asked.until, now, '--until', startOfDay)
    if (since >= (until ?? now)) {
      throw new ConfigError(
        'The time range is empty: the oldest incidents to sync must be before the newest.',
        {
          next: `Set an earlier ${where}${until === undefined ? '' : ' or a later --until'}.`,
        },
      )
    }
    return {
      now,
      since,
      ...(until === undefined ? {} : { until }),
      lookbackDays: config.sync.lookbackDays,
      windowSeconds: config.sync.windowDays,
      full: asked.full ?? false,
      acceptVanished: asked.acceptVanished ?? false,
      acceptUnproven: asked.acceptUnproven ?? false,
    }
  }
}
