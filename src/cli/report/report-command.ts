import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { type Cli, json, type Nothing } from '../command.ts'
import { reportCheckCommand } from './report-check-command.ts'
import { reportListCommand } from './report-list-command.ts'
import { reportNewCommand } from './report-new-command.ts'
import { reportSchemaCommand } from './report-schema-command.ts'

/** `faultline report`: makes reports; its subcommands list, check and create them. */
export function reportCommand(cli: Cli): void {
  const report = withOptions(cli)
    // `--json` behind `list` is its own.
    .enablePositionalOptions()
    .hook('preSubcommand', handDown)
    .action(
      cli.runs(async (context, given, { json, format, out, watch, ...more }) => {
        const { names, dimensions } = dimensionsAmong(given)
        const { period, team, severity, account, timezone, asOfSnapshot, ...how } = more
        const { teams, pages, allAccounts, jobs, deliver, due, again, ...unread } = how
        unread satisfies Nothing
        const { makeReports } = await import('./make-reports.ts')
        return makeReports(context, names, {
          json,
          format,
          out,
          watch,
          period,
          team,
          severity,
          account,
          timezone,
          asOfSnapshot,
          teams,
          pages,
          allAccounts,
          jobs,
          deliver,
          due,
          again,
          dimensions,
          known: report.options.flatMap(({ long }) => long ?? []),
        })
      }),
    )
  const below = { parent: report, runs: cli.runs }
  for (const join of [reportListCommand, reportCheckCommand, reportNewCommand, reportSchemaCommand])
    join(below)
}

/** Dimensions are options too, which only the configuration knows: those that are unknown here are looked at later. */
function withOptions({ parent }: Cli) {
  return parent
    .command('report [name...]')
    .description(
      'make reports; also `report list`, `report check [name…]`, `report new NAME`, `report schema`',
    )
    .option('--period <period>', '13w, last month, this quarter, 2026-W12, 2026-Q1, 2026-01-01..2026-03-01 …')
    .option(
      '--team <names>',
      'only these teams, separated by commas (a name may have some); pages go to teams/ in the folder',
    )
    .option(
      '--pages <dimensions>',
      'also the same reports for every value of these dimensions, each in its folder',
    )
    .option('--teams', 'also the same reports for every team, each in its folder of teams/')
    .allowUnknownOption()
    .option('--severity <names>', 'only these severities, separated by commas')
    .option('--account <names>', 'only these accounts, by name or number, separated by commas')
    .option(
      '--all-accounts',
      'instead, of every account by itself, or of those of --account: accounts/ in the folder',
    )
    .option('--jobs <n>', 'accounts whose reports are made side by side (default: 3)')
    .option('--timezone <zone>', 'IANA zone of weeks, days and hours')
    .option('--as-of-snapshot <state>', 'of a lake: as it was at a time, or at a number of its states')
    .option(
      '--format <formats>',
      'html, csv, json, terminal, and with a Chromium pdf, png; separated by commas (default: html,csv)',
    )
    .option('--out <dir>', 'folder of the files (default: from the configuration)')
    .option('--deliver', 'also keep the pages by period with an index, and send them by mail and webhook')
    .option('--due', 'deliver those whose time has come by their schedule, once: for cron and Kubernetes')
    .option('--again', 'deliver even what was sent before')
    .option('--watch', 'make them again when a report file is saved')
    .addOption(json())
    .addHelpText(
      'after',
      '\nEach of `reporting.dimensions` is an option too: --service checkout\n\nExample:\n  faultline report mtta-mttr --period 13w --format terminal',
    )
}

/** What stands where names of reports are: `--service checkout`, `--service=checkout` is a value of a dimension. */
function dimensionsAmong(given: readonly string[]) {
  const names: string[] = []
  const dimensions: Record<string, string> = {}
  for (let index = 0; index < given.length; index++) {
    const [, name, value] = /^--?([^=]*)(?:=(.*))?$/s.exec(given[index]!) ?? []
    if (name === undefined) names.push(given[index]!)
    else dimensions[name] = value ?? given[++index] ?? ''
  }
  return { names, dimensions }
}

/** `report --json list` is `report list --json`. */
function handDown(report: CommandUnknownOpts, below: CommandUnknownOpts): void {
  for (const option of report.options) {
    const name = option.attributeName()
    if (report.getOptionValueSource(name) !== 'cli') continue
    if (!below.options.some((one) => one.long === option.long))
      below.error(`error: unknown option '${option.long}'`)
    below.setOptionValueWithSource(name, report.getOptionValue(name), 'cli')
  }
}
