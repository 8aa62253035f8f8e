import { messageOf } from '../../site/error-places.ts'
import type { Cli, Nothing } from '../command.ts'

/** Defines `faultline report check`, which exits with 1 if there are errors. */
export function reportCheckCommand({ parent, runs }: Cli): void {
  parent
    .command('check [name...]')
    .description('compile the reports and list every error with its line')
    .option('--at <state>', 'lake only: query a past snapshot, by time, age (3d) or snapshot number')
    .addHelpText('after', '\nExample:\n  faultline report check my-team')
    .action(
      runs(async (context, names, { at, ...unread }) => {
        unread satisfies Nothing
        const { mistakesOf } = await import('../../page/check-report.ts')
        const { withReports } = await import('./make-pages.ts')
        return withReports(context, names, { at }, async ({ reader, reports }) => {
          let status = 0
          for (const report of reports) {
            const mistakes = await mistakesOf(report.file, reader)
            for (const mistake of mistakes) context.console.error(messageOf(mistake, report))
            if (mistakes.length === 0) context.console.out(`${report.name}: ok`)
            else status = 1
          }
          return status
        })
      }),
    )
}
