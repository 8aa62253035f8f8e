import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Cli } from '../command.ts'
import type { Context } from '../context.ts'
import { reportCheckCommand } from './report-check-command.ts'
import { reportListCommand } from './report-list-command.ts'
import { reportNewCommand } from './report-new-command.ts'
import { addReportCommand, type ReportOptions } from './report-options.ts'
import { reportSchemaCommand } from './report-schema-command.ts'

export function reportCommand(cli: Cli): void {
  const act = async (context: Context, given: readonly string[], options: ReportOptions) => {
    const { names, dimensions } = dimensionsAmong(given)
    const { makeReports } = await import('./make-reports.ts')
    return makeReports(context, names, { ...options, dimensions })
  }
  const report = addReportCommand(cli)
    // With this setting, `--json` in `report list --json` is an option of `list`, not of `report`.
    .enablePositionalOptions()
    .hook('preSubcommand', handDown)
    .action(cli.runs(act))
  for (const join of [reportListCommand, reportCheckCommand, reportNewCommand, reportSchemaCommand])
    join({ ...cli, parent: report })
}

/** Separates report names from dimension options, such as `--service checkout` or `--service=checkout`. */
function dimensionsAmong(given: readonly string[]) {
  const names: string[] = []
  const dimensions = new Map<string, string>()
  for (let index = 0; index < given.length; index++) {
    const [, name, value] = /^--?([^=]*)(?:=(.*))?$/s.exec(given[index]!) ?? []
    if (name === undefined) names.push(given[index]!)
    else dimensions.set(name, value ?? given[++index] ?? '')
  }
  return { names, dimensions: Object.fromEntries(dimensions) }
}

/** Makes `report --json list` equivalent to `report list --json`. */
function handDown(report: CommandUnknownOpts, below: CommandUnknownOpts): void {
  for (const option of report.options) {
    const name = option.attributeName()
    if (report.getOptionValueSource(name) !== 'cli') continue
    if (!below.options.some((one) => one.long === option.long))
      below.error(`error: unknown option '${option.long}'`)
    below.setOptionValueWithSource(name, report.getOptionValue(name), 'cli')
  }
}
