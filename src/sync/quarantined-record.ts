import { createHash } from 'node:crypto'
import { stringifyJson } from '../contract/json.ts'
import type { Resource } from '../resources/resource.ts'
import { at, pathOf } from '../warehouse/load/record-row.ts'
import { lowerId } from './lower-ids.ts'

/** Returns the key of a record, or null if a part of the key is missing or invalid. */
export function recordKey(resource: Resource, record: unknown): string | null {
  const parts = ownKey(resource).map((name) => {
    const part = at(record, pathOf(resource, name))
    return ['string', 'number', 'bigint'].includes(typeof part) && part !== '' ? lowerId(String(part)) : null
  })
  return parts.length === 0 || parts.includes(null) ? null : bounded(parts.join(SEPARATOR))
}

/** Converts a key from a staging table to a key as returned by `recordKey`. */
export function recordKeyOf(resource: Resource, stagedKey: string): string {
  const own = ownKey(resource)
  const parts = stagedKey.split(SEPARATOR)
  return bounded(
    resource.key.flatMap((name, index) => (own.includes(name) ? [parts[index]] : [])).join(SEPARATOR),
  )
}

/** Maximum length of a key. Only invalid records have longer keys, which are replaced with a digest. */
const KEY_MOST = 300

function bounded(key: string): string {
  return key.length <= KEY_MOST ? key : `sha256:${createHash('sha256').update(key).digest('hex')}`
}

/** Removes the time of the read, so that equal records of two runs compare as equal. */
function unstamped(resource: Resource, record: unknown): unknown {
  if (resource.read.kind !== 'snapshot' || typeof record !== 'object' || record === null) return record
  const { [resource.read.at]: _, ...own } = record as Record<string, unknown>
  return own
}

/** Adds the time of the read, in Unix seconds. */
export function stamped(resource: Resource, record: unknown, seconds: number): unknown {
  if (resource.read.kind !== 'snapshot' || typeof record !== 'object' || record === null) return record
  return { ...record, [resource.read.at]: seconds }
}

const SEPARATOR = '\u0000'

function ownKey({ key, read }: Resource): readonly string[] {
  return read.kind === 'snapshot' ? key.filter((name) => name !== read.at) : key
}

/** Maximum length of a rejected record as JSON. DuckDB loads 2,048 rows at a time, so this limits memory. */
const KEPT_MOST = 32_768

/** A longer record is reduced to this number of fields, with this number of characters each. */
const FIELDS_MOST = 50
const TEXT_MOST = 500

/** Field for the length and digest of the entire record, so that different truncated records stay distinct. */
const CUT_FROM = '_cut_from'

export function quarantinePayload(resource: Resource, record: unknown) {
  const kept = unstamped(resource, resource.scrub ? resource.scrub.rejected(record) : record)
  const payload = stringifyJson(kept)
  return {
    payload: payload.length <= KEPT_MOST ? payload : stringifyJson(beginnings(kept, payload)),
    key: recordKey(resource, kept),
  }
}

/** Whether a record is truncated. Such a record can never be loaded. */
export function isTruncated(record: unknown): boolean {
  return typeof record === 'object' && record !== null && Object.hasOwn(record, CUT_FROM)
}

function beginnings(record: unknown, payload: string): unknown {
  const own = typeof record === 'object' && record !== null ? Object.entries(record) : []
  const short = own
    .filter(([name, value]) => name.length <= TEXT_MOST && (typeof value !== 'object' || value === null))
    .slice(0, FIELDS_MOST)
    .map(([name, value]) => [name, typeof value === 'string' ? beginning(value) : value])
  const sha256 = createHash('sha256').update(payload).digest('hex')
  return { ...Object.fromEntries(short), [CUT_FROM]: { characters: payload.length, sha256 } }
}

/**
 * Returns the beginning of a text. Cuts it at a space, because a privacy rule does not recognize half of an e-mail
 * address.
 */
function beginning(text: string): string {
  return text.length <= TEXT_MOST ? text : `${text.slice(0, TEXT_MOST).replace(/\S*$/, '')}…`
}

const NAME_MOST = 300

/**
 * Joins a path to a name. Copies a shortened text, because a slice of a string would keep the entire string in memory.
 */
export function nameOf(path: readonly PropertyKey[]): string {
  const text = path.join('.')
  return text.length <= NAME_MOST ? text : `${Buffer.from(text.slice(0, NAME_MOST))}…`
}
