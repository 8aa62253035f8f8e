import type { Client } from '../client/client.ts'
import type { Account } from '../config/accounts.ts'
import { type Config, chooseAccounts, loadConfig, requirePrivacy } from '../config.ts'
import { stringifyJson } from '../contract/json.ts'
import type { Effects } from '../effects.ts'
import { ConfigError } from '../errors.ts'
import { resources as allResources } from '../resources/index.ts'
import { withPrivacy } from '../resources/with-privacy.ts'
import type { Progress } from '../sync/progress.ts'
import { type AccountsResult, type SyncResult, syncAccounts } from '../sync/sync.ts'
import { version } from '../version.ts'
import { accountsJson, accountsText } from './accounts-text.ts'
import { type Console, consoleEffects } from './console.ts'
import type { Context } from './context.ts'
import { parseMoment } from './moment.ts'
import { openClient } from './open-client.ts'
import { pickResources } from './pick-resources.ts'
import { planAccounts } from './plan-accounts.ts'
import { progressLine } from './progress-line.ts'
import { syncText } from './sync-text.ts'

export interface SyncFlags {
  /** Names or ids, separated by commas. */
  readonly account?: string
  readonly plan?: boolean
  readonly full?: boolean
  readonly since?: string
  readonly until?: string
  readonly json?: boolean
}

/**
 * `faultline sync`: one whole sync of each account, or with --plan only what it would do. `done` is given what it came
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
    if (flags.plan) return await planAccounts(context, synced, common, flags)
    const result = await syncAccounts({
      ...common,
      accounts: synced,
      memoryLimit: config.sync.memoryLimit,
      settings: config.settings,
      concurrency: config.sync.concurrency,
      version,
      onProgress: progressTo(context.console, quotaOf(accounts), effects),
    })
    done(result)
    context.console.clearProgress()
    return tell(context, result, config.warehouse, flags)
  } finally {
    for (const client of clients) await client.close()
  }
}

/** Says what a sync came to; what went wrong with the only account is thrown, as its own kind of error. */
function tell({ console }: Context, result: AccountsResult, path: string, flags: SyncFlags): number {
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

/** 0 when everything was read and everything fitted. */
export function exitStatus(result: SyncResult): number {
  return result.status === 'ok' ? 0 : 1
}

const quotaOf = (accounts: readonly Account[]) => Math.max(...accounts.map(({ quota }) => quota))

function scopeOf(config: Config, account: Account, flags: SyncFlags) {
  const where = flags.since
    ? '--since'
    : account.name === undefined
      ? 'sync.since'
      : `since of the account "${account.name}"`
  return (now: number) => {
    const since = parseMoment(flags.since ?? account.since, now, where)
    const until = flags.until === undefined ? undefined : parseMoment(flags.until, now, '--until')
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
    }
  }
}

/** A line that is rewritten on a terminal; JSON lines, at most one in two seconds, anywhere else. */
export function progressTo(console: Console, quota: number, { now }: Pick<Effects, 'now'>) {
  let last = 0
  return (progress: Progress) => {
    if (console.isTerminal) return console.progress(progressLine(progress, quota))
    if (now() - last < 2_000) return
    last = now()
    console.note(JSON.stringify({ event: 'progress', ...progress }))
  }
}
