import { realEffects } from '../effects.ts'
import { ConfigError } from '../errors.ts'
import { type Cli, json, type Nothing } from './command.ts'
import { parseCountOption } from './parse-count-option.ts'
import { jsonLog } from './start/log-console.ts'

/**
 * `faultline lake work`: syncs the accounts of a lake that are due, each by one of all workers, until it is stopped. Whose worker dies
 * is taken over by another. Ends with 1 when a sync failed with --once.
 */
export function workCommand({ parent, runs }: Cli): void {
  parent
    .command('work')
    .description('sync the accounts of a lake that are due, as one of several workers')
    .option('--once', 'end when nothing is due that no other worker has')
    .option('--account <names>', 'only these accounts, separated by commas (default: all)')
    .option('--jobs <n>', 'accounts synced side by side (default: 4)')
    .option('--health', "print the worker's health and exit")
    .option('--alive', 'exit with 0 while the worker lives, whatever became of its syncs')
    .option('--metrics <port>', 'serve OpenMetrics at /metrics of this port, on this machine (or HOST:PORT)')
    .option(
      '--metrics-incidents',
      'with figures of incidents by team and severity, of the last 7 and 28 days',
    )
    .addOption(json())
    .addHelpText('after', HELP)
    .action(
      runs(async (base, { once = false, account: names, jobs, ...more }) => {
        const { health, alive, json, metrics, metricsIncidents, ...unread } = more
        unread satisfies Nothing
        const { chooseAccounts, loadConfig, requireService } = await import('../config/config.ts')
        const { resolveStorage } = await import('../sdk/resolve-storage.ts')
        const { accountJobs } = await import('../schedule/jobs.ts')
        const { createLongRunningContext } = await import('./long-running-context.ts')
        const { runJobs } = await import('./start/run-jobs.ts')
        const { monitored, printAlive, printHealth } = await import('./start/monitoring.ts')
        const { workerHealthFileOf } = await import('../schedule/health.ts')
        const config = loadConfig(base.overrides)
        const healthFile = workerHealthFileOf(config)
        if (alive || health)
          return alive ? printAlive(base, healthFile) : printHealth(base, healthFile, json === true)
        const published = await resolveStorage(config.warehouse)
        if (published.jobs === undefined) throw oneFile()
        const accounts = chooseAccounts(config, names)
        const { context, secrets } = createLongRunningContext(base)
        for (const account of accounts) context.keepSecret(requireService(account).appKey)
        const effects = { ...realEffects(), log: jsonLog(context.console, Date.now, context.verbose) }
        const { save, close } = await monitored(
          config,
          { metrics, metricsIncidents },
          { effects, secrets, healthFile },
        )
        const { isTidy, hasFailed } = await runJobs(context, config, accountJobs(config, accounts), {
          ...{ effects, published, save, isOnce: once },
          syncs: parseCountOption('--jobs', jobs),
        }).finally(close)
        // What did not end in time cannot be interrupted, and would keep the process.
        if (!isTidy) process.exit(1)
        if (!once) return 0
        context.signal.throwIfAborted()
        return hasFailed ? 1 : 0
      }),
    )
}

const oneFile = () =>
  new ConfigError('`lake work` shares accounts among several machines, and the warehouse is one file.', {
    next: '`faultline start` syncs into a file; src/lake/README.md says how to move to a lake.',
  })

const HELP = `
Its state is written beside the health file of \`faultline start\`, with \`.worker\` in its name: of two workers on one machine
each needs a \`schedule.healthFile\` of its own. With --health the exit status is 1 when a sync failed or is overdue, or the
process is not running; with --alive only when the process is not running, or hangs.

Examples:
  faultline lake work --once
  faultline lake work --metrics 9464
  faultline lake work --health`
