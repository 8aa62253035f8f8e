import { type Cli, json } from './command.ts'

export function workCommand({ parent, loads }: Cli): void {
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
    .action(loads(async () => (await import('./start/work.ts')).work))
}

const HELP = `
The state is written next to the health file of \`faultline start\`, with \`.worker\` in its name. Two workers on one machine
need different settings of \`schedule.healthFile\`. With --health, the exit status is 1 if a sync failed or is overdue, or the
process is not running. With --alive it is 1 only if the process is not running or is stuck, that is, if a restart would help.

Examples:
  faultline lake work --once
  faultline lake work --metrics 9464
  faultline lake work --health`
