import { type Cli, json, type Nothing, Option } from './command.ts'

export function schemaCommand({ parent, runs }: Cli): void {
  parent
    .command('schema [name...]')
    .description('describe tables, views and metrics (all, or the specified ones), without a warehouse')
    .addOption(new Option('--format <format>', 'output format').choices(['markdown', 'json']))
    .addOption(json())
    .addHelpText('after', '\nExamples:\n  faultline schema incident_times\n  faultline schema --json')
    .action(
      runs(async ({ console, overrides }, names, { format, json, ...unread }) => {
        unread satisfies Nothing
        const { loadConfig } = await import('../config/config.ts')
        const { relationsNamed, relationText, schemaMarkdown } = await import('./schema-text.ts')
        const relations = await relationsNamed(names, loadConfig(overrides).settings)
        if (json || format === 'json') console.out(JSON.stringify(relations, null, 2))
        else if (names.length > 0) console.out(relations.map(relationText).join('\n\n'))
        else console.out(schemaMarkdown(relations).trimEnd())
        return 0
      }),
    )
}
