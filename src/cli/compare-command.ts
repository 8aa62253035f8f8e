import { type Cli, json, Option } from './command.ts'

export function compareCommand({ parent, loads }: Cli): void {
  parent
    .command('compare')
    .description('show what changed after an event in `reporting.events`, such as a deploy')
    .option('--event <name>', 'compare only this event (default: all events)')
    .addOption(new Option('--format <format>', 'output format').choices(['text', 'csv', 'json']))
    .addOption(json())
    .addHelpText('after', '\nExample:\n  faultline compare --event "new rota"')
    .action(loads(async () => (await import('./print-comparison.ts')).printComparison))
}
