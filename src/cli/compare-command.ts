import { type Cli, json, type Nothing, Option } from './command.ts'

export function compareCommand({ parent, runs }: Cli): void {
  parent
    .command('compare')
    .description('show what changed after an event in `reporting.events`, such as a deploy')
    .option('--event <name>', 'compare only this event (default: all events)')
    .addOption(new Option('--format <format>', 'output format').choices(['text', 'csv', 'json']))
    .addOption(json())
    .addHelpText('after', '\nExample:\n  faultline compare --event "new rota"')
    .action(
      runs(async (context, { event, format = 'text', json, ...unread }) => {
        unread satisfies Nothing
        const { printComparison } = await import('./print-comparison.ts')
        return printComparison(context, event, json ? 'json' : format)
      }),
    )
}
