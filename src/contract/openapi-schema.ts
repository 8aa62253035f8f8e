import { z } from 'zod'
import { INT64, type Int64 } from './int64.ts'
import { parseInteger } from './json.ts'

/** A JSON Schema as in OpenAPI 3.1. `minimum` and `maximum` can be bigints, so serialize it with `stringifyJson`. */
export interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly examples?: readonly unknown[]
  readonly enum?: readonly unknown[]
  readonly minimum?: Int64
  readonly maximum?: Int64
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly anyOf?: readonly JsonSchema[]
  readonly [keyword: string]: unknown
}

/** Returns the JSON Schema of a request, before any defaults are applied. */
export function requestSchema(schema: z.ZodType): JsonSchema {
  return tidy(z.toJSONSchema(schema, { ...conversion, io: 'input' }))
}

/** Returns the JSON Schemas of responses by name. They refer to each other as `#/components/schemas/<name>`. */
export function responseSchemas(named: Readonly<Record<string, z.ZodType>>) {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id })
  const uri = (id: string) => `#/components/schemas/${id}`
  const { schemas } = z.toJSONSchema(registry, { ...conversion, io: 'output', uri })
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, tidy(schema)]))
}

/** The registry is empty, so that zod does not add metadata. `applyMetadata` adds it instead. */
const conversion = {
  unrepresentable: 'any',
  override: applyMetadata,
  metadata: z.registry<object>(),
} as const

function applyMetadata({ zodSchema, jsonSchema }: { zodSchema: unknown; jsonSchema: object }): void {
  const { int64: bounds64, needed: _, ...rest } = (zodSchema as z.ZodType).meta() ?? {}
  const int64 = bounds64 as { min: bigint; max: bigint } | undefined
  if (int64 !== undefined) {
    // Zod copies its result through JSON, which has no bigint, so the bounds are strings until `tidy` converts them.
    const bounds = { minimum: String(int64.min), maximum: String(int64.max) }
    const format = int64.max > INT64.max ? 'uint64' : 'int64'
    Object.assign(jsonSchema, { type: 'integer', format, ...bounds })
  }
  Object.assign(jsonSchema, rest)
  // `propertyNames` adds nothing, because the keys of JSON objects are always strings.
  if ('propertyNames' in jsonSchema) delete jsonSchema.propertyNames
}

function tidy(schema: object): JsonSchema {
  const entries = Object.entries(schema).filter(([keyword]) => keyword !== '$schema' && keyword !== '$id')
  return Object.fromEntries(
    entries.map(([keyword, value]) => [
      keyword,
      (keyword === 'minimum' || keyword === 'maximum') && typeof value === 'string'
        ? parseInteger(value)
        : tidyPart(value),
    ]),
  )
}

function tidyPart(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidyPart)
  return typeof value === 'object' && value !== null ? tidy(value) : value
}
