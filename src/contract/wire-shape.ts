import type { z } from 'zod'

/** What a schema asks of a value on the wire, as plain data: what validates quickly, or reads bytes, is made from it. */
export type WireShape =
  | { readonly kind: 'text'; readonly pattern?: RegExp }
  /** An int64 within the bounds, both included. */
  | { readonly kind: 'integer'; readonly min: bigint; readonly max: bigint }
  | { readonly kind: 'flag' }
  | { readonly kind: 'anything' }
  /** An object whose fields may be anything. */
  | { readonly kind: 'object' }
  | { readonly kind: 'list'; readonly element: WireShape }
  /** An object with these fields, and others. */
  | { readonly kind: 'record'; readonly fields: Readonly<Record<string, WireShape>> }
  /** What `inner` is, or `nothing`: absent or null. */
  | { readonly kind: 'maybe'; readonly nothing: null | undefined; readonly inner: WireShape }
  /** Only the schema itself knows. */
  | { readonly kind: 'unsure' }

const unsure: WireShape = { kind: 'unsure' }

/** The shape of a schema, as far as it can be said; a part that asks for more is `unsure`. */
export function shapeOf(schema: z.ZodType): WireShape {
  const { int64 } = (schema.meta() ?? {}) as { int64?: { min: bigint; max: bigint } }
  if (int64) return { kind: 'integer', ...int64 }
  const def = schema.def as unknown as Definition
  // A format such as `z.email()` is no check of a text, but a kind of text.
  if (def.type === 'string') return def.format ? unsure : textShape(def.checks ?? [])
  if (def.checks?.length) return unsure
  switch (def.type) {
    case 'boolean':
      return { kind: 'flag' }
    case 'unknown':
      return { kind: 'anything' }
    case 'optional':
      return { kind: 'maybe', nothing: undefined, inner: shapeOf(def.innerType!) }
    case 'nullable':
      return { kind: 'maybe', nothing: null, inner: shapeOf(def.innerType!) }
    case 'array':
      return { kind: 'list', element: shapeOf(def.element!) }
    case 'record':
      return def.valueType!.def.type === 'unknown' && isAnyText(def.keyType!) ? { kind: 'object' } : unsure
    case 'object':
      return def.catchall?.def.type === 'unknown' ? recordShape(def.shape!) : unsure
    default:
      return unsure
  }
}

/** What is used of a schema's definition; each kind has some of it. */
interface Definition {
  readonly type: string
  readonly format?: string
  readonly checks?: readonly { readonly _zod: { readonly def: { check: string; pattern?: RegExp } } }[]
  readonly innerType?: z.ZodType
  readonly element?: z.ZodType
  readonly keyType?: z.ZodType
  readonly valueType?: z.ZodType
  readonly catchall?: z.ZodType
  readonly shape?: Readonly<Record<string, z.ZodType>>
}

function textShape(checks: NonNullable<Definition['checks']>): WireShape {
  if (checks.length === 0) return { kind: 'text' }
  const { check, pattern } = checks[0]!._zod.def
  // A pattern with a state of its own would remember the last text.
  if (checks.length > 1 || check !== 'string_format' || !pattern || pattern.global || pattern.sticky)
    return unsure
  return { kind: 'text', pattern }
}

function isAnyText(schema: z.ZodType): boolean {
  const shape = shapeOf(schema)
  return shape.kind === 'text' && shape.pattern === undefined
}

function recordShape(shape: Readonly<Record<string, z.ZodType>>): WireShape {
  const fields = Object.entries(shape).map(([name, schema]) => [name, shapeOf(schema)] as const)
  return { kind: 'record', fields: Object.fromEntries(fields) }
}
