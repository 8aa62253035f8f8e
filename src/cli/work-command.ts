import { realEffects } from '../effects.ts'
import { ConfigError } from '../errors.ts'
import type { Cli, Nothing } from './command.ts'
import { keepingSecrets } from './context.ts'
import { countOf } from './count-of.ts'
import { jsonLog } from './start/log-console.ts'

/**
 * `faultline work`: syncs the accounts of a lake that are due, each by one of all workers, until it is stopped. Whose worker dies
 * is taken over by another. Ends with 1 when a sync failed with --once.
 */
export function workCommand({ parent, runs }: Cli): void {
  parent
    .command('work')
    .description('sync the accounts of a lake that are due, as one of several workers')
    .option('--once', 'end when nothing is due that no other worker has')
    .option('--accounts <names>', 'only these accounts, separated by commas (default: all)')
    .option('--jobs <n>', 'accounts synced side by side (default: 4)')
    .addHelpText('after', '\nExample:\n  faultline work --once')
    .action(
      runs(async (base, { once = false, accounts: names, jobs, ...unread }) => {
        unread satisfies Nothing
        const { chooseAccounts, loadConfig, requireService } = await import('../config/config.ts')
        const { publishedAt } = await import('../warehouse/file-or-lake.ts')
        const { accountJobs } = await import('../schedule/jobs.ts')
        const { runJobs } = await import('./start/run-jobs.ts')
        const config = loadConfig(base.overrides)
        const published = publishedAt(config.warehouse)
        if (published.jobs === undefined) {
          throw new ConfigError(
            '`work` shares accounts among several machines, and the warehouse is one file.',
            {
              next: '`faultline start` syncs into a file; src/warehouse/lake/README.md says how to move to a lake.',
            },
          )
        }
        const accounts = chooseAccounts(config, names)
        const { context, secrets } = keepingSecrets(base)
        for (const account of accounts) context.keepSecret(requireService(account).appKey)
        const { isTidy, hasFailed } = await runJobs(context, config, accountJobs(config, accounts), {
          effects: { ...realEffects(), log: jsonLog(context.console, Date.now, context.verbose) },
          published,
          syncs: countOf('--jobs', jobs),
          isOnce: once,
          secrets: () => secrets,
        })
        // What did not end in time cannot be interrupted, and would keep the process.
        if (!isTidy) process.exit(1)
        if (!once) return 0
        context.signal.throwIfAborted()
        return hasFailed ? 1 : 0
      }),
    )
}
