import type { z } from 'zod'
import { type INT64, isInt64 } from './int64.ts'

/** Whether a value surely fits. False only means: ask the schema, which also says what is wrong. */
type Fits = (value: unknown) => boolean

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

const unsure: Fits = () => false
const isText: Fits = (value) => typeof value === 'string'

/**
 * Makes the quick half of a validation from a schema: no copy is made, no issue collected, so that it costs a tenth of
 * `safeParse` on a record that is right, as nearly all are. What it does not know it leaves to the schema.
 */
export function quickFit(schema: z.ZodType): Fits {
  const { int64 } = (schema.meta() ?? {}) as { int64?: typeof INT64 }
  if (int64) return integerFits(int64.min, int64.max)
  const def = schema.def as unknown as Definition
  // A format such as `z.email()` is no check of a text, but a kind of text.
  if (def.type === 'string') return def.format ? unsure : textFits(def.checks ?? [])
  if (def.checks?.length) return unsure
  switch (def.type) {
    case 'boolean':
      return (value) => typeof value === 'boolean'
    case 'unknown':
      return () => true
    case 'optional':
      return orNothing(undefined, quickFit(def.innerType!))
    case 'nullable':
      return orNothing(null, quickFit(def.innerType!))
    case 'array':
      return listFits(quickFit(def.element!))
    case 'record':
      return def.valueType!.def.type === 'unknown' && quickFit(def.keyType!) === isText ? isObject : unsure
    case 'object':
      return def.catchall?.def.type === 'unknown' ? recordFits(def.shape!) : unsure
    default:
      return unsure
  }
}

function integerFits(min: bigint, max: bigint): Fits {
  const [low, high] = [Number(min), Number(max)]
  return (value) =>
    typeof value === 'number'
      ? Number.isSafeInteger(value) && value >= low && value <= high
      : isInt64(value) && value >= min && value <= max
}

function textFits(checks: NonNullable<Definition['checks']>): Fits {
  if (checks.length === 0) return isText
  const { check, pattern } = checks[0]!._zod.def
  // A pattern with a state of its own would remember the last text.
  if (checks.length > 1 || check !== 'string_format' || !pattern || pattern.global || pattern.sticky)
    return unsure
  return (value) => typeof value === 'string' && pattern.test(value)
}

function orNothing(nothing: null | undefined, fits: Fits): Fits {
  return (value) => value === nothing || fits(value)
}

function listFits(fits: Fits): Fits {
  return (value) => Array.isArray(value) && value.every(fits)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

function recordFits(shape: Readonly<Record<string, z.ZodType>>): Fits {
  const fields = Object.entries(shape).map(([name, schema]) => ({ name, fits: quickFit(schema) }))
  return (value) => {
    if (!isObject(value)) return false
    for (const { name, fits } of fields) if (!fits(value[name])) return false
    return true
  }
}
