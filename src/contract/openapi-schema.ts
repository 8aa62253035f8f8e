import { z } from 'zod'
import type { Int64 } from './int64.ts'

/**
 * A JSON Schema of the 2020-12 draft, which is the dialect of OpenAPI 3.1. Bounds beyond 2^53 are bigints: write it
 * with `stringifyJson`.
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

/** What a schema of the contract says of itself beyond what zod knows. */
interface Remarks {
  int64?: { min: bigint; max: bigint }
  minLength?: number
  maxLength?: number
  pattern?: string
  description?: string
  examples?: unknown[]
}

/** A request as its sender writes it, in one piece. */
export function requestSchema(schema: z.ZodType): JsonSchema {
  return tidy(z.toJSONSchema(schema, { ...conversion, io: 'input' }))
}

/** Answers as their reader gets them, by name. They refer to each other below `#/components/schemas/`. */
export function responseSchemas(
  named: Readonly<Record<string, z.ZodType>>,
): Readonly<Record<string, JsonSchema>> {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id })
  const uri = (id: string) => `#/components/schemas/${id}`
  const { schemas } = z.toJSONSchema(registry, { ...conversion, io: 'output', uri })
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, tidy(schema)]))
}

/** What schemas say of themselves is read by `remark`; the conversion itself gets nothing to copy. */
const conversion = { unrepresentable: 'any', override: remark, metadata: z.registry<object>() } as const

/** Adds what the contract's own kinds of fields say: integers of 64 bits and texts counted in characters. */
function remark({ zodSchema, jsonSchema }: { zodSchema: unknown; jsonSchema: object }): void {
  const { int64, ...rest } = ((zodSchema as z.ZodType).meta() ?? {}) as Remarks
  if (int64 !== undefined) {
    // The conversion copies its outcome through JSON, which knows no bigint: digits until `tidy`.
    const bounds = { minimum: String(int64.min), maximum: String(int64.max) }
    Object.assign(jsonSchema, { type: 'integer', format: 'int64', ...bounds })
  }
  Object.assign(jsonSchema, rest)
  // Keys of JSON objects are texts anyway.
  if ('propertyNames' in jsonSchema) delete jsonSchema.propertyNames
}

/** Turns bounds into integers and drops what belongs to a schema that stands alone. */
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

/** A number wherever it says the same, since most programs know no other. */
function exact(digits: string): Int64 {
  const number = Number(digits)
  return Number.isSafeInteger(number) ? number : BigInt(digits)
}
