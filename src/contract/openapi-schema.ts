import { z } from 'zod'
import { INT64, type Int64 } from './int64.ts'

/**
 * A JSON Schema of the 2020-12 draft, as in OpenAPI 3.1. Serialize it with `stringifyJson`, because its bounds can be
 * bigints.
 */
export interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly description?: string
  readonly examples?: readonly unknown[]
  readonly pattern?: string
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

/** Our own metadata of schemas, in addition to zod's. */
interface Metadata {
  int64?: { min: bigint; max: bigint }
  minLength?: number
  maxLength?: number
  pattern?: string
  description?: string
  examples?: unknown[]
  default?: unknown
  needed?: boolean
}

/** Returns the schema of a request, as the sender writes it. */
export function requestSchema(schema: z.ZodType): JsonSchema {
  return tidy(z.toJSONSchema(schema, { ...conversion, io: 'input' }))
}

/** Returns the schemas of answers by name. They refer to each other by paths in `#/components/schemas/`. */
export function responseSchemas(
  named: Readonly<Record<string, z.ZodType>>,
): Readonly<Record<string, JsonSchema>> {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id })
  const uri = (id: string) => `#/components/schemas/${id}`
  const { schemas } = z.toJSONSchema(registry, { ...conversion, io: 'output', uri })
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, tidy(schema)]))
}

/** An empty registry prevents zod from copying the metadata, because `applyMetadata` reads it. */
const conversion = {
  unrepresentable: 'any',
  override: applyMetadata,
  metadata: z.registry<object>(),
} as const

function applyMetadata({ zodSchema, jsonSchema }: { zodSchema: unknown; jsonSchema: object }): void {
  const { int64, needed: _, ...rest } = ((zodSchema as z.ZodType).meta() ?? {}) as Metadata
  if (int64 !== undefined) {
    // Zod copies its result through JSON, which has no bigint. Until `tidy`, the bounds are strings of digits.
    const bounds = { minimum: String(int64.min), maximum: String(int64.max) }
    const format = int64.max > INT64.max ? 'uint64' : 'int64'
    Object.assign(jsonSchema, { type: 'integer', format, ...bounds })
  }
  Object.assign(jsonSchema, rest)
  // Keys of JSON objects are always texts.
  if ('propertyNames' in jsonSchema) delete jsonSchema.propertyNames
}

/** Converts bounds to integers and removes keywords of a standalone schema. */
function tidy(schema: object): JsonSchema {
  const entries = Object.entries(schema).filter(([keyword]) => keyword !== '$schema' && keyword !== '$id')
  return Object.fromEntries(
    entries.map(([keyword, value]) => [
      keyword,
      (keyword === 'minimum' || keyword === 'maximum') && typeof value === 'string'
        ? exact(value)
        : tidyPart(value),
    ]),
  )
}

function tidyPart(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidyPart)
  return typeof value === 'object' && value !== null ? tidy(value) : value
}

function exact(digits: string): Int64 {
  const number = Number(digits)
  return Number.isSafeInteger(number) ? number : BigInt(digits)
}
