import { wordsAt } from '../contract/tolerant.ts'
import type { Resource } from '../resources/resource.ts'
import { at } from '../warehouse/load/record-row.ts'
import { nameOf } from './quarantined-record.ts'

/** A tree of documented fields. A field is null if a column stores it entirely. */
export interface Known {
  readonly fields: Map<string, Known | null>
}

export function knownFields({ columns, children }: Resource): Known {
  const root: Known = { fields: new Map() }
  for (const { path } of columns) add(root, path)
  for (const child of children) for (const { path } of child.columns) add(root, [...child.path, ...path])
  return root
}

function add({ fields }: Known, [field, ...rest]: readonly string[]): void {
  if (field === undefined) return
  const next = rest.length === 0 ? null : (fields.get(field) ?? { fields: new Map() })
  fields.set(field, next)
  if (next) add(next, rest)
}

/** Adds the dotted names of undocumented fields to `unknown`. */
export function extraFields(
  record: object,
  known: Known,
  unknown: Set<string>,
  prefix = '',
): object | undefined {
  let extra: Record<string, unknown> | undefined
  for (const field in record) {
    const next = known.fields.get(field)
    if (next === null) continue
    const value = (record as Record<string, unknown>)[field]
    const kept = next === undefined ? value : beyond(value, next, unknown, `${prefix}${field}.`)
    if (kept === undefined) continue
    if (next === undefined) unknown.add(nameOf([prefix + field]))
    // Without a prototype, `__proto__` is an ordinary field.
    extra ??= Object.create(null) as Record<string, unknown>
    extra[field] = kept
  }
  return extra
}

function beyond(value: unknown, known: Known, unknown: Set<string>, prefix: string): unknown {
  if (Array.isArray(value)) {
    const extras = value.map((element) => beyond(element, known, unknown, prefix) ?? null)
    return extras.some((extra) => extra !== null) ? extras : undefined
  }
  return typeof value === 'object' && value !== null ? extraFields(value, known, unknown, prefix) : undefined
}

export interface UnknownWord {
  readonly field: string
  readonly word: string
}

/** Prefix of `kind` in a row of `schema_drift` about an undocumented enum value. */
export const UNKNOWN_WORD = 'unknown word: '

/** Maximum number of recorded values, in case a service puts free text into an enum field. */
export const WORDS_MOST = 100
const LENGTH_MOST = 64

/** Collects undocumented enum values by `field=word`, except in fields with a privacy rule. */
export function wordCollector(resource: Resource): (record: object, found: Map<string, UnknownWord>) => void {
  const ruled = new Set(resource.scrub?.columns.flatMap(({ child, name }) => (child === null ? [name] : [])))
  const enumerated = resource.columns.flatMap(({ name, path }) => {
    const words = ruled.has(name) ? undefined : wordsAt(resource.record, path)
    return words ? [{ path, field: path.join('.'), words: new Set(words) }] : []
  })
  return (record, found) => {
    for (const { path, field, words } of enumerated) {
      const value = at(record, path)
      // An empty text means "not set".
      if (typeof value !== 'string' || value === '' || words.has(value) || found.size >= WORDS_MOST) continue
      // Replaces half of a surrogate pair as DuckDB does, so that this text equals the stored one.
      const word = Buffer.from(value.slice(0, LENGTH_MOST)).toString()
      found.set(`${field}=${word}`, { field, word })
    }
  }
}
