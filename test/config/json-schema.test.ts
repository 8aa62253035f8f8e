import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { configJsonSchema, configSchema, readConfig } from '../../src/config/config-file.ts'

interface Node {
  readonly description?: string
  readonly properties?: Record<string, Node>
  readonly [word: string]: unknown
}

const schema = configJsonSchema() as Node
/** JSON Schema uses the flag `u` for patterns. The validator here does not. */
const readable = JSON.parse(
  JSON.stringify(schema).replaceAll('\\\\p{Cc}', '\\\\u0000-\\\\u001f\\\\u007f-\\\\u009f'),
)
const example = readFileSync(new URL('../../config.example.json', import.meta.url), 'utf8')

/** Every field of a JSON Schema by its dotted name, at any depth and under any keyword. */
function fieldsOf(node: unknown, prefix = ''): { path: string; field: Node }[] {
  if (typeof node !== 'object' || node === null) return []
  return Object.entries(node).flatMap(([word, part]) => {
    if (word !== 'properties') return fieldsOf(part, prefix)
    return Object.entries(part as Record<string, Node>).flatMap(([name, field]) => [
      { path: prefix + name, field },
      ...fieldsOf(field, `${prefix}${name}.`),
    ])
  })
}

function fieldsOfZod(part: unknown, prefix = ''): string[] {
  if (part instanceof z.ZodObject) {
    return Object.entries(part.shape).flatMap(([name, field]) => [
      prefix + name,
      ...fieldsOfZod(field, `${prefix}${name}.`),
    ])
  }
  if (part instanceof z.ZodUnion) return part.options.flatMap((option) => fieldsOfZod(option, prefix))
  if (part instanceof z.ZodArray) return fieldsOfZod(part.element, prefix)
  if (part instanceof z.ZodRecord) return fieldsOfZod(part.valueType, prefix)
  if (part instanceof z.ZodPipe) return fieldsOfZod(part.in, prefix)
  const isWrapped =
    part instanceof z.ZodOptional ||
    part instanceof z.ZodNullable ||
    part instanceof z.ZodDefault ||
    part instanceof z.ZodPrefault
  return isWrapped ? fieldsOfZod(part.unwrap(), prefix) : []
}

describe('the JSON Schema for editors', () => {
  test('names every field of the configuration', () => {
    const named = [...new Set(fieldsOf(schema).map(({ path }) => path))].sort()
    expect(named).toEqual([...new Set(fieldsOfZod(configSchema))].sort())
    expect(named).toEqual(expect.arrayContaining(['baseUrl', 'sync.lookbackDays', 'timezone']))
  })

  test('describes every field of the configuration', () => {
    const silent = fieldsOf(schema).filter(({ field }) => !field.description)
    expect(silent.map(({ path }) => path)).toEqual([])
  })

  test('accepts the example configuration, as the program does', () => {
    const check = z.fromJSONSchema(readable)
    expect(check.safeParse(JSON.parse(example)).error).toBeUndefined()
    expect(readConfig(example, 'config.example.json').data.baseUrl).toBe('https://service.example')
  })

  test('accepts a `$schema` field, but rejects an app key and invalid values', () => {
    const check = z.fromJSONSchema(readable)
    const fits = (config: object) => check.safeParse(config).success
    expect(fits({ $schema: './config.schema.json' })).toBe(true)
    expect(fits({})).toBe(true)
    expect(fits({ appKey: 'never here' })).toBe(false)
    expect(fits({ sync: { windowDays: 40 } })).toBe(false)
    expect(fits({ sync: { memoryLimit: 'much' } })).toBe(false)
  })
})
