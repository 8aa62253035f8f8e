import { shown } from '../../site/error-places.ts'
import { type Cli, json, type Nothing } from '../command.ts'

/** Defines `faultline report list`, which exits with 1 if a report is invalid. */
export function reportListCommand({ parent, runs }: Cli): void {
  parent
    .command('list')
    .description('list the reports with their titles and schedules')
    .addOption(json())
    .addHelpText('after', '\nExample:\n  faultline report list')
    .action(
      runs(async ({ console, overrides }, { json, ...unread }) => {
        unread satisfies Nothing
        const { loadConfig } = await import('../../config/config.ts')
        const { allReports } = await import('../../report/report-catalog.ts')
        const { textTable } = await import('../text-table.ts')
        const reports = allReports(loadConfig(overrides).reports)
        const rows = reports.map(({ name, title, schedule, problem }) => [
          name,
          problem ? `${shown(problem.file)}:${problem.line}: ${problem.message}` : title,
          schedule ?? '-',
        ])
        if (json) console.out(JSON.stringify(reports))
        else console.out(textTable([['name', 'title', 'schedule'], ...rows]).join('\n'))
        for (const { name } of reports) {
          if (!parent.commands.some((one) => one.name() === name)) continue
          const why = `\`report ${name}\` is a command, so this report only runs together with all others.`
          console.note(`${name}: ${why} Rename it.`)
        }
        return reports.some(({ problem }) => problem) ? 1 : 0
      }),
    )
}
