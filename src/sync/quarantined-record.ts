import { createHash } from 'node:crypto'
import { stringifyJson } from '../contract/json.ts'
import type { Resource } from '../resources/resource.ts'
import { at, pathOf } from '../warehouse/load/record-row.ts'
import { lowerId } from './lower-ids.ts'

/**
 * What identifies a record within its account, whether or not it fits: the parts of its key as one text; null when one of
 * them is missing or is no text or number. The time that a snapshot is stamped with is none of the record's.
 */
export function recordKey(resource: Resource, record: unknown): string | null {
  const parts = ownKey(resource).map((name) => {
    const part = at(record, pathOf(resource, name))
    return ['string', 'number', 'bigint'].includes(typeof part) && part !== '' ? lowerId(String(part)) : null
  })
  return parts.length === 0 || parts.includes(null) ? null : bounded(parts.join(SEPARATOR))
}

/** The same of a record that fits, from its key as it is staged. */
export function recordKeyOf(resource: Resource, stagedKey: string): string {
  const own = ownKey(resource)
  const parts = stagedKey.split(SEPARATOR)
  return bounded(
    resource.key.flatMap((name, index) => (own.includes(name) ? [parts[index]] : [])).join(SEPARATOR),
  )
}

/** Far longer than the key of any record that fits. */
const KEY_MOST = 300

/** A key of what does not fit may have any length: of a long one its digest tells as well which it is. */
function bounded(key: string): string {
  return key.length <= KEY_MOST ? key : `sha256:${createHash('sha256').update(key).digest('hex')}`
}

/** The record as the service sent it: two nights of the same record are the same. */
function unstamped(resource: Resource, record: unknown): unknown {
  if (resource.read.kind !== 'snapshot' || typeof record !== 'object' || record === null) return record
  const { [resource.read.at]: _, ...own } = record as Record<string, unknown>
  return own
}

/** The record as a sync reads it, the time being that of the reading, in Unix seconds. */
export function stamped(resource: Resource, record: unknown, seconds: number): unknown {
  if (resource.read.kind !== 'snapshot' || typeof record !== 'object' || record === null) return record
  return { ...record, [resource.read.at]: seconds }
}

const SEPARATOR = '\u0000'

function ownKey({ key, read }: Resource): readonly string[] {
  return read.kind === 'snapshot' ? key.filter((name) => name !== read.at) : key
}

/**
 * What a rejected record takes at most in quarantine, in characters of JSON: some ten times a large record of the service. DuckDB
 * reads 2,048 rows of a table at once, so these have to fit into its memory together.
 */
const KEPT_MOST = 32_768

/** Of a larger one only the beginnings of its own fields are kept: so many fields, so many characters of each. */
const FIELDS_MOST = 50
const TEXT_MOST = 500

/** Stands in what is left of a record: how many characters of JSON it had, and their digest, so that two of them stay two. */
const CUT_FROM = '_cut_from'

/**
 * What is kept of a rejected record, under the privacy rules: as it came, or of one that is too large its beginnings.
 * @returns its JSON, and its key within its account, null where it has none
 */
export function quarantinePayload(
  resource: Resource,
  record: unknown,
): { payload: string; key: string | null } {
  const kept = unstamped(resource, resource.scrub ? resource.scrub.rejected(record) : record)
  const payload = stringifyJson(kept)
  return {
    payload: payload.length <= KEPT_MOST ? payload : stringifyJson(beginnings(kept, payload)),
    key: recordKey(resource, kept),
  }
}

/** Whether only beginnings are left of a kept record, so that it can never be loaded, but waits for a good copy. */
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

/** At a blank: half of an address is not found by the privacy rules of later. */
function beginning(text: string): string {
  return text.length <= TEXT_MOST ? text : `${text.slice(0, TEXT_MOST).replace(/\S*$/, '')}…`
}

const NAME_MOST = 300

/** The dotted name of a field, which the service may make of any length. A copy where it is cut: a part of a text holds all of it. */
export function nameOf(path: readonly PropertyKey[]): string {
  const text = path.join('.')
  return text.length <= NAME_MOST ? text : `${Buffer.from(text.slice(0, NAME_MOST))}…`
}
