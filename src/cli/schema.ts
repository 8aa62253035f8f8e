import { resources } from '../resources/index.ts'
import { readSchema } from '../warehouse/schema.ts'
import type { Context } from './context.ts'
import { schemaMarkdown } from './schema-text.ts'

export interface SchemaFlags {
  readonly format?: 'markdown' | 'json'
  readonly json?: boolean
}

/** `faultline schema`: every table, view and macro with columns, types and meanings. It needs no warehouse. */
export async function schemaCommand(context: Context, flags: SchemaFlags): Promise<number> {
  const relations = await readSchema(resources)
  const isJson = flags.json || flags.format === 'json'
  context.console.out(isJson ? JSON.stringify(relations, null, 2) : schemaMarkdown(relations).trimEnd())
  return 0
}
