import { type Cli, json, type Nothing } from '../command.ts'

/** Defines `faultline start`. */
export function startCommand({ parent, runs }: Cli): void {
  parent
    .command('start')
    .description('run syncs and reports by the schedule, until stopped')
    .option('--health', "print the scheduler's health and exit")
    .option('--alive', 'exit with 0 while the scheduler lives, whatever became of its syncs')
    .option('--metrics <port>', 'serve OpenMetrics at /metrics of this port, on this machine (or HOST:PORT)')
    .option(
      '--metrics-file <file>',
      'write them to this file too, for the textfile collector of node_exporter',
    )
    .option(
      '--metrics-incidents',
      'with figures of incidents by team and severity, of the last 7 and 28 days',
    )
    .addOption(json())
    .addHelpText('after', HELP)
    .action(
      runs(async (context, { health, alive, metrics, metricsFile, metricsIncidents, json, ...unread }) => {
        unread satisfies Nothing
        const { start } = await import('./start.ts')
        return start(context, { health, alive, metrics, metricsFile, metricsIncidents, json })
      }),
    )
}

const HELP = `
Times are cron expressions in the configuration: \`schedule.sync\` (default: 02:30) and the
\`schedule\` of each report, in \`schedule.timezone\`. A run that was missed while the process was
down is caught up once. It logs JSON lines to standard error, writes its state to a health file
beside the warehouse, and stops within seconds of SIGTERM, SIGINT or SIGHUP (also under nohup:
use setsid or a service); stored data is kept.

With --health the exit status is 1 when the last sync failed, is overdue, or the process is not running; with --alive only when
the process is not running, or hangs: to start it again helps.

Examples:
  faultline start --metrics 9464 --metrics-incidents
  faultline start --health`
