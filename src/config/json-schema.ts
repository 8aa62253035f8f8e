import { z } from 'zod'
import { configSchema } from '../config.ts'

/** The fields of the configuration as a JSON Schema, for editors: what may be written, not what it becomes. */
export function configJsonSchema(): Record<string, unknown> {
  const { $schema, ...rest } = z.toJSONSchema(configSchema, { io: 'input' })
  return { $schema, title: 'Configuration of Faultline', ...rest }
}
