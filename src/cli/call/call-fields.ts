import type { JsonSchema } from '../../contract/openapi-schema.ts'
import { closestMatch } from '../../errors.ts'

/** Limits of int64 and uint64, which the help does not print. */
const OBVIOUS: readonly unknown[] = [-(2n ** 63n), 2n ** 63n - 1n, 2n ** 64n - 1n]

/** Returns the name, type and limits of each request field. The name of a nested field contains a dot. */
export function fieldRows(schema: JsonSchema, prefix = ''): string[][] {
  const required = new Set(schema.required)
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const given = notNull(field)
    const row = [`${prefix}${name}${required.has(name) ? '*' : ''}`, typeText(given), limitsText(given)]
    return [row, ...fieldRows(given, `${prefix}${name}.`)]
  })
}

/** Returns the smallest valid request, with example values for required fields. */
export function sampleOf(schema: JsonSchema): unknown {
  if (schema.examples !== undefined) return schema.examples[0]
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [name, sampleOf(schema.properties?.[name] ?? {})]),
      )
    case 'array':
      return schema.items === undefined ? [] : [sampleOf(schema.items)]
    case 'integer':
      return 1
    case 'boolean':
      return true
    default:
      return 'text'
  }
}

function notNull(schema: JsonSchema): JsonSchema {
  const { anyOf, ...outer } = schema
  const { type } = outer
  if (Array.isArray(type)) return { ...outer, type: type.find((one) => one !== 'null') }
  // The description is in the outer schema, not in the schemas of `anyOf`.
  return { ...anyOf?.find((one) => one.type !== 'null'), ...outer }
}

function typeText({ type, items }: JsonSchema): string {
  return type === 'array' && items !== undefined ? `${typeText(items)}[]` : String(type ?? 'any')
}

function limitsText(schema: JsonSchema): string {
  const { minimum, maximum, items } = schema
  const limit = (value: typeof minimum) => (OBVIOUS.includes(value) ? undefined : value)
  const each = items && limitsText(items)
  const parts = [
    schema.enum?.join(' or '),
    range(limit(minimum), limit(maximum), ''),
    range(schema.minLength || undefined, schema.maxLength, ' characters'),
    range(schema.minItems, schema.maxItems, ' items'),
    each && `each ${each}`,
    schema.default === undefined ? '' : `default ${String(schema.default)}`,
  ]
  const limits = parts.filter(Boolean).join('; ')
  return [limits, schema.description ?? schema.pattern].filter(Boolean).join('. ')
}

function range(min: number | bigint | undefined, max: number | bigint | undefined, unit: string): string {
  if (min === undefined) return max === undefined ? '' : `at most ${max}${unit}`
  return `${max === undefined ? `at least ${min}` : `${min} to ${max}`}${unit}`
}

/** Returns top-level fields that the schema does not list, each with a suggestion. */
export function unknownFields(
  schema: JsonSchema,
  request: unknown,
): { name: string; next: string | undefined }[] {
  const { properties = {}, additionalProperties } = schema
  if (additionalProperties !== undefined && additionalProperties !== false) return []
  return Object.keys(request ?? {})
    .filter((name) => !Object.hasOwn(properties, name))
    .map((name) => ({ name, next: closestMatch(name, Object.keys(properties)) }))
}
