import { type Cli, json, RESUME_NOTE } from '../command.ts'

export function quarantineCommand({ parent, loads }: Cli): void {
  parent
    .command('quarantine')
    .description('list quarantined records, show one, or revalidate all')
    .option('--limit <n>', 'maximum number of records to list', '20')
    .option('--show <id>', 'print one record as received')
    .option('--replay', 'revalidate all records and load those that now pass')
    .option('--forget <id>', 'discard one record')
    .addOption(json())
    .addHelpText('after', '\nExample:\n  faultline quarantine --replay')
    .action(loads(async () => (await import('./run-quarantine.ts')).runQuarantine, RESUME_NOTE))
}
