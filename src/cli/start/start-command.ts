import { type Cli, json } from '../command.ts'

export function startCommand({ parent, loads }: Cli): void {
  parent
    .command('start')
    .description('run scheduled syncs and reports until stopped')
    .option('--health', "print the scheduler's health and exit")
    .option('--alive', 'exit 0 if the scheduler is running, regardless of sync results')
    .option('--metrics <port>', 'serve OpenMetrics at /metrics on this port of this machine (or HOST:PORT)')
    .option(
      '--metrics-file <file>',
      'also write metrics to this file, for the textfile collector of node_exporter',
    )
    .option(
      '--metrics-incidents',
      'include incident figures by team and severity, over the last 7 and 28 days',
    )
    .addOption(json())
    .addHelpText('after', HELP)
    .action(loads(async () => (await import('./start.ts')).start))
}

const HELP = `
Times are cron expressions in the configuration: \`schedule.sync\` (default: 02:30) and the
\`schedule\` of each report, in \`schedule.timezone\`. After downtime, a single run
makes up for all missed runs. The process logs JSON lines to standard error and writes its state to a health
file next to the warehouse. It stops within seconds of SIGTERM, SIGINT or SIGHUP (even under
nohup; use setsid or a service instead). Stored data is kept.

With --health, the exit status is 1 if the last sync failed or is overdue, or the process is not running. With --alive it is
1 only if the process is not running or is stuck, that is, if a restart would help.

Examples:
  faultline start --metrics 9464 --metrics-incidents
  faultline start --health`
