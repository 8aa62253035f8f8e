import { configJsonSchema } from '../config/config-file.ts'
import { effectiveSettings } from '../config/effective.ts'
import { stringifyJson } from '../contract/json.ts'
import { cleanForTerminal } from '../render/clean.ts'
import type { Context } from './context.ts'
import { textTable } from './text-table.ts'

/** `faultline config show`: every field that has a value, and where it came from. */
export async function configShowCommand(context: Context, flags: { json?: boolean }): Promise<number> {
  const settings = effectiveSettings(context.overrides)
  if (flags.json) {
    context.console.out(stringifyJson(settings, 2))
    return 0
  }
  const rows = settings.map(({ field, value, from }) =>
    [field, typeof value === 'string' ? value : stringifyJson(value), from].map(cleanForTerminal),
  )
  context.console.out(textTable([['field', 'value', 'from'], ...rows]).join('\n'))
  return 0
}

/** `faultline config schema`: the JSON Schema of the file, for editors. */
export async function configSchemaCommand(context: Context): Promise<number> {
  context.console.out(stringifyJson(configJsonSchema(), 2))
  return 0
}
