import { wordsAt } from '../contract/tolerant.ts'
import type { Resource } from '../resources/resource.ts'
import { at } from '../warehouse/load/record-row.ts'
import { nameOf } from './quarantined-record.ts'

/** The documented fields at one level of a record; a field with fields of its own leads to the next level. */
export interface Known {
  readonly fields: Map<string, Known | null>
}

/** The fields a resource keeps in columns, as a tree. Below a column everything is kept, whatever it is. */
export function knownFields(resource: Resource): Known {
  const root: Known = { fields: new Map() }
  for (const column of resource.columns) add(root, column.path)
  for (const child of resource.children) {
    const named = child.columns.filter((column) => column.path.length > 0)
    if (named.length === 0) add(root, child.path)
    for (const column of named) add(root, [...child.path, ...column.path])
  }
  return root
}

function add({ fields }: Known, [field, ...rest]: readonly string[]): void {
  if (field === undefined) return
  if (rest.length === 0) {
    fields.set(field, null)
    return
  }
  const next = fields.get(field) ?? { fields: new Map() }
  fields.set(field, next)
  add(next, rest)
}

/**
 * What a record holds beyond the documented fields, in the record's own shape; undefined when there is nothing.
 * Names of such fields are added to `unknown`, dotted.
 */
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
    // Without a prototype, a field named __proto__ is a field like any other.
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

/** A word of an enumerated field that the service's document does not name. */
export interface UnknownWord {
  readonly field: string
  readonly word: string
}

/** What the kind of a row of `schema_drift` begins with that is about a word. */
export const UNKNOWN_WORD = 'unknown word: '

/** A service has a handful of new words; of one that puts free text into such fields so many are noted. */
export const WORDS_MOST = 100
const LENGTH_MOST = 64

/**
 * Makes what collects the unknown words of a resource's records, each once, under `field=word`. They are stored as they came;
 * that somebody counts by the words of the document is why they are noted. What a privacy rule changes is left out.
 */
export function wordCollector(resource: Resource): (record: object, found: Map<string, UnknownWord>) => void {
  const ruled = new Set(resource.scrub?.columns.flatMap(({ child, name }) => (child === null ? [name] : [])))
  const enumerated = resource.columns.flatMap(({ name, path }) => {
    const words = ruled.has(name) ? undefined : wordsAt(resource.record, path)
    return words ? [{ path, field: path.join('.'), words: new Set(words) }] : []
  })
  return (record, found) => {
    for (const { path, field, words } of enumerated) {
      const value = at(record, path)
      // Empty is "not set".
      if (typeof value !== 'string' || value === '' || words.has(value) || found.size >= WORDS_MOST) continue
      // As it comes back from the warehouse, where half of a character is none.
      const word = Buffer.from(value.slice(0, LENGTH_MOST)).toString()
      found.set(`${field}=${word}`, { field, word })
    }
  }
}
