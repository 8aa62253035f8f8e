import { realEffects } from '../effects.ts'
import { ConfigError } from '../errors.ts'
import { type Cli, json, type Nothing } from './command.ts'
import { parseCountOption } from './parse-count-option.ts'
import { jsonLog } from './start/log-console.ts'

export function workCommand({ parent, runs }: Cli): void {
  parent
    .command('work')
    .description('sync due accounts of a lake, as one of several workers')
    .option('--once', 'exit when no job is due, except jobs that another worker is running')
    .option('--account <names>', 'only these accounts, comma-separated (default: all)')
    .option('--jobs <n>', 'accounts to sync in parallel (default: 4)')
    .option('--health', "print the worker's health and exit")
    .option('--alive', 'exit 0 if the worker is running, regardless of sync results')
    .option('--metrics <port>', 'serve OpenMetrics at /metrics on this port of this machine (or HOST:PORT)')
    .option(
      '--metrics-incidents',
      'include incident figures by team and severity, over the last 7 and 28 days',
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
        // Unfinished work cannot be interrupted and would keep the process alive.
        if (!isTidy) process.exit(1)
        if (!once) return 0
        context.signal.throwIfAborted()
        return hasFailed ? 1 : 0
      }),
    )
}

const oneFile = () =>
  new ConfigError('`lake work` requires a lake, but the warehouse is a file.', {
    next: 'Use `faultline start` for a file. src/lake/README.md describes the move to a lake.',
  })

const HELP = `
The state is written next to the health file of \`faultline start\`, with \`.worker\` in its name. Two workers on one machine
need different settings of \`schedule.healthFile\`. With --health, the exit status is 1 if a sync failed or is overdue, or the
process is not running. With --alive it is 1 only if the process is not running or is stuck, that is, if a restart would help.

Examples:
  faultline lake work --once
  faultline lake work --metrics 9464
  faultline lake work --health`
