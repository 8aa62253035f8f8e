import { type Cli, json, type Nothing, RESUME_NOTE } from '../command.ts'

export function quarantineCommand({ parent, runs }: Cli): void {
  parent
    .command('quarantine')
    .description('list quarantined records, show one, or revalidate all')
    .option('--limit <n>', 'maximum number of records to list', '20')
    .option('--show <id>', 'print one record as received')
    .option('--replay', 'revalidate all records and load those that now pass')
    .option('--forget <id>', 'discard one record')
    .addOption(json())
    .addHelpText('after', '\nExample:\n  faultline quarantine --replay')
    .action(
      runs(async (context, { limit, show, replay, forget, json, ...unread }) => {
        unread satisfies Nothing
        const { runQuarantine } = await import('./run-quarantine.ts')
        return runQuarantine(context, { limit, show, replay, forget, json })
      }, RESUME_NOTE),
    )
}
