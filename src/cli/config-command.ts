import { cleanForTerminal } from '../render/sanitize-text.ts'
import { type Cli, json, type Nothing } from './command.ts'

export function configCommand({ parent, runs }: Cli): void {
  const config = parent
    .command('config')
    .description('show the effective configuration, or print its JSON Schema for editors')
    .addHelpText('after', '\nExample:\n  faultline config show')
  config
    .command('show')
    .description('show every field that has a value, and its origin; secrets are hidden')
    .addOption(json())
    .addHelpText('after', '\nExample:\n  faultline config show --config /etc/faultline/config.yaml')
    .action(
      runs(async ({ console, overrides }, { json, ...unread }) => {
        unread satisfies Nothing
        const { effectiveSettings } = await import('../config/effective-config.ts')
        const { stringifyJson } = await import('../contract/json.ts')
        const { textTable } = await import('./text-table.ts')
        const settings = effectiveSettings(overrides)
        const rows = settings.map(({ field, value, from }) =>
          [field, typeof value === 'string' ? value : stringifyJson(value), from].map(cleanForTerminal),
        )
        if (json) console.out(stringifyJson(settings, 2))
        else console.out(textTable([['field', 'value', 'from'], ...rows]).join('\n'))
        return 0
      }),
    )
  config
    .command('schema')
    .description('print the JSON Schema of the configuration file, for editors')
    .addHelpText('after', '\nExample:\n  faultline config schema > config.schema.json')
    .action(
      runs(async ({ console }, unread) => {
        unread satisfies Nothing
        const { configJsonSchema } = await import('../config/config-file.ts')
        const { stringifyJson } = await import('../contract/json.ts')
        console.out(stringifyJson(configJsonSchema(), 2))
        return 0
      }),
    )
}
