import { chooseAccounts, loadConfig, requireService } from '../config/config.ts'
import { realEffects } from '../effects.ts'
import { ConfigError } from '../errors.ts'
import { publishedAt } from '../warehouse/file-or-lake.ts'
import type { Context } from './context.ts'
import { countOf } from './count-of.ts'
import { accountJobs } from './start/account-jobs.ts'
import { keepingSecrets } from './start/keeping-secrets.ts'
import { jsonLog } from './start/log-console.ts'
import { runJobs } from './start/run-jobs.ts'

interface WorkOptions {
  /** Ends when nothing is due that no other worker has. */
  readonly once?: boolean | undefined
  /** Names or ids, separated by commas. */
  readonly accounts?: string | undefined
  readonly jobs?: string | undefined
}

/**
 * `faultline work`: syncs the accounts of a lake that are due, each by one of all workers, until it is stopped. Whose worker dies
 * is taken over by another. Returns 1 when a sync failed with --once.
 */
export async function workAccounts(base: Context, options: WorkOptions): Promise<number> {
  const config = loadConfig(base.overrides)
  if (publishedAt(config.warehouse).jobs === undefined) {
    throw new ConfigError('`work` shares accounts among several machines, and the warehouse is one file.', {
      next: '`faultline start` syncs into a file; src/warehouse/lake/README.md says how to move to a lake.',
    })
  }
  const accounts = chooseAccounts(config, options.accounts)
  const { context, secrets } = keepingSecrets(base)
  for (const account of accounts) context.keepSecret(requireService(account).appKey)
  const { isTidy, hasFailed } = await runJobs(context, config, accountJobs(config, accounts), {
    effects: { ...realEffects(), log: jsonLog(context.console, Date.now, context.verbose) },
    syncs: countOf('--jobs', options.jobs),
    isOnce: options.once ?? false,
    secrets: () => secrets,
  })
  // What did not end in time cannot be interrupted, and would keep the process.
  if (!isTidy) process.exit(1)
  if (!options.once) return 0
  context.signal.throwIfAborted()
  return hasFailed ? 1 : 0
}
