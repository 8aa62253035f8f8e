import { availableParallelism, totalmem } from 'node:os'
import type { Client } from '../../client/client.ts'
import type { Account } from '../../config/accounts.ts'
import { type Config, chooseAccounts, loadConfig, requirePrivacy } from '../../config/config.ts'
import { parseMoment } from '../../config/moment.ts'
import { stringifyJson } from '../../contract/json.ts'
import { ConfigError } from '../../errors.ts'
import { resources as allResources, pickResources } from '../../resources/index.ts'
import { withPrivacy } from '../../resources/privacy/with-privacy.ts'
import { type AccountsResult, syncAccounts } from '../../sync/sync.ts'
import { version } from '../../version.ts'
import { consoleEffects } from '../console.ts'
import type { Context } from '../context.ts'
import { countOf } from '../count-of.ts'
import { dayIn, zoneOf } from '../day-of.ts'
import { openClient } from '../open-client.ts'
import { planAccounts } from './plan.ts'
import { progressTo } from './progress.ts'
import { accountsJson, accountsText, syncText } from './text.ts'
import { noteUnderWay } from './under-way.ts'

interface SyncFlags {
  /** Names or ids, separated by commas. */
  readonly account?: string
  readonly jobs?: string
  readonly plan?: boolean
  readonly full?: boolean
  readonly acceptVanished?: boolean
  readonly acceptUnproven?: boolean
  readonly since?: string
  readonly until?: string
  readonly json?: boolean
}

/**
 * `faultline sync`: a sync of each account, side by side, or with --plan only what it would do. `done` is given what it came
 * to. Returns the exit status.
 */
export async function syncCommand(
  context: Context,
  names: readonly string[],
  flags: SyncFlags,
  done: (result: AccountsResult) => void = () => {},
): Promise<number> {
  const config = loadConfig(context.overrides)
  const known = withPrivacy(allResources, requirePrivacy(config))
  const resources = pickResources(names.length > 0 ? names : config.resources, known)
  const accounts = chooseAccounts(config, flags.account)
  const effects = consoleEffects(context.console, context.verbose)
  const clients: Client[] = []
  const underWay = noteUnderWay(config.warehouse, effects)
  const common = { path: config.warehouse, resources, known, effects, signal: context.signal }
  const synced = accounts.map((account) => ({
    name: account.name ?? null,
    accountId: account.accountId,
    scope: scopeOf(config, account, flags),
    quota: account.quota,
    connect() {
      const client = openClient(context, config, { effects }, account)
      clients.push(client)
      return client
    },
  }))
  try {
    if (flags.plan) return await planAccounts(context, synced, common, { ...flags, timezone: zoneOf(config) })
    const result = await syncAccounts({
      ...common,
      accounts: synced,
      memoryLimit: config.sync.memoryLimit,
      settings: config.settings,
      concurrency: config.sync.concurrency,
      jobs: jobsOf(flags.jobs, config),
      version,
      onNotice: (sentence) => context.console.note(sentence),
      onProgress: progressTo(context.console, quotaOf(accounts), effects, underWay.note),
    })
    done(result)
    context.console.clearProgress()
    return printResult(context, result, String(config.warehouse), flags)
  } finally {
    underWay.end()
    for (const client of clients) await client.close()
  }
}

/** Prints the result of a sync. @throws the error of an account that is alone. Returns the exit status. */
function printResult({ console }: Context, result: AccountsResult, path: string, flags: SyncFlags): number {
  const { outcomes, published } = result
  const [first] = outcomes
  if (first && first.name === null) {
    if ('error' in first) throw first.error
    const only = { ...first.summary, published }
    console.out(flags.json ? JSON.stringify(only) : syncText(only, path))
  } else {
    console.out(flags.json ? stringifyJson(accountsJson(result)) : accountsText(result, path))
  }
  return outcomes.every((one) => 'summary' in one && one.summary.status === 'ok') ? 0 : 1
}

/** An account under its limits keeps a core busy for less than a quarter of the time. */
const ACCOUNTS_A_CORE = 4
/** What reading an account takes at most, with DuckDB's share. */
const BYTES_AN_ACCOUNT = 512 * 1024 ** 2

/** How many accounts to read side by side: as asked for, else what the cores and half of the memory are enough for. */
function jobsOf(flag: string | undefined, { sync }: Config): number {
  const jobs = countOf('--jobs', flag) ?? sync.jobs
  if (jobs !== undefined) return jobs
  // In a container it is less than the machine's; 0 or absent without a limit.
  const memory = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)
  const enough = Math.floor(memory / 2 / BYTES_AN_ACCOUNT)
  return Math.max(1, Math.min(ACCOUNTS_A_CORE * availableParallelism(), enough))
}

const quotaOf = (accounts: readonly Account[]) => Math.max(...accounts.map(({ quota }) => quota))

function scopeOf(config: Config, account: Account, flags: SyncFlags) {
  const where = flags.since
    ? '--since'
    : account.name === undefined
      ? 'sync.since'
      : `since of the account "${account.name}"`
  const startOfDay = dayIn(config)
  return (now: number) => {
    const since = parseMoment(flags.since ?? account.since, now, where, startOfDay)
    const until = flags.until === undefined ? undefined : parseMoment(flags.until, now, '--until', startOfDay)
    if (since >= (until ?? now)) {
      throw new ConfigError(
        'There is no time to read: the oldest incidents wanted are not before the newest.',
        {
          next: `Give an earlier ${where}${until === undefined ? '' : ' or a later --until'}.`,
        },
      )
    }
    return {
      now,
      since,
      ...(until === undefined ? {} : { until }),
      lookbackDays: config.sync.lookbackDays,
      windowSeconds: config.sync.windowDays,
      full: flags.full ?? false,
      acceptVanished: flags.acceptVanished ?? false,
      acceptUnproven: flags.acceptUnproven ?? false,
    }
  }
}
