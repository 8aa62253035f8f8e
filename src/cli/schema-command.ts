import { type Cli, json, Option } from './command.ts'

export function schemaCommand({ parent, loads }: Cli): void {
  parent
    .command('schema [name...]')
    .description('describe tables, views and metrics (all, or the specified ones), without a warehouse')
    .addOption(new Option('--format <format>', 'output format').choices(['markdown', 'json']))
    .addOption(json())
    .addHelpText('after', '\nExamples:\n  faultline schema incident_times\n  faultline schema --json')
    .action(loads(async () => (await import('./schema-text.ts')).printSchema))
}
