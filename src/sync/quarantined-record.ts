import { createHash } from 'node:crypto'
import { stringifyJson } from '../contract/json.ts'
import type { Resource } from '../resources/resource.ts'
import { at, pathOf } from '../warehouse/load/record-row.ts'
import { lowerId } from './lower-ids.ts'

/** Returns a record's key within its account as one text, or null if a part is missing or invalid. */
export function recordKey(resource: Resource, record: unknown): string | null {
  const parts = ownKey(resource).map((name) => {
    const part = at(record, pathOf(resource, name))
    return ['string', 'number', 'bigint'].includes(typeof part) && part !== '' ? lowerId(String(part)) : null
  })
  return parts.length === 0 || parts.includes(null) ? null : bounded(parts.join(SEPARATOR))
}

/** Converts the staged key of a valid record to the text that `recordKey` returns for the record. */
export function recordKeyOf(resource: Resource, stagedKey: string): string {
  const own = ownKey(resource)
  const parts = stagedKey.split(SEPARATOR)
  return bounded(
    resource.key.flatMap((name, index) => (own.includes(name) ? [parts[index]] : [])).join(SEPARATOR),
  )
}

/** Maximum length of a key, far longer than any key of a valid record. */
const KEY_MOST = 300

/** Replaces a long key with its digest, because the key of an invalid record can have any length. */
function bounded(key: string): string {
  return key.length <= KEY_MOST ? key : `sha256:${createHash('sha256').update(key).digest('hex')}`
}

/** Removes the time of the read from a record of a snapshot, so that equal records of two runs compare as equal. */
function unstamped(resource: Resource, record: unknown): unknown {
  if (resource.read.kind !== 'snapshot' || typeof record !== 'object' || record === null) return record
  const { [resource.read.at]: _, ...own } = record as Record<string, unknown>
  return own
}

/** Adds the time of the read, in Unix seconds, to a record of a snapshot. */
export function stamped(resource: Resource, record: unknown, seconds: number): unknown {
  if (resource.read.kind !== 'snapshot' || typeof record !== 'object' || record === null) return record
  return { ...record, [resource.read.at]: seconds }
}

const SEPARATOR = '\u0000'

function ownKey({ key, read }: Resource): readonly string[] {
  return read.kind === 'snapshot' ? key.filter((name) => name !== read.at) : key
}

/** Maximum length of a rejected record as JSON. It limits memory, because DuckDB loads 2,048 rows at a time. */
const KEPT_MOST = 32_768

/** For a longer record, only this many fields are stored, and only this many characters of each. */
const FIELDS_MOST = 50
const TEXT_MOST = 500

/** Field that stores the length and digest of a record before truncation, so that different records stay distinct. */
const CUT_FROM = '_cut_from'

/** Returns the JSON of a rejected record for quarantine, truncated if large, and its key within its account. */
export function quarantinePayload(resource: Resource, record: unknown) {
  const kept = unstamped(resource, resource.scrub ? resource.scrub.rejected(record) : record)
  const payload = stringifyJson(kept)
  return {
    payload: payload.length <= KEPT_MOST ? payload : stringifyJson(beginnings(kept, payload)),
    key: recordKey(resource, kept),
  }
}

/** Whether a stored record was truncated, so that it can never be loaded. */
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

/** Cuts a text at a space, because a privacy rule does not recognize half of an e-mail address. */
function beginning(text: string): string {
  return text.length <= TEXT_MOST ? text : `${text.slice(0, TEXT_MOST).replace(/\S*$/, '')}…`
}

const NAME_MOST = 300

/** Returns the dotted name of a field, truncated. Copies it, because a slice would keep the entire name in memory. */
export function nameOf(path: readonly PropertyKey[]): string {
  const text = path.join('.')
  return text.length <= NAME_MOST ? text : `${Buffer.from(text.slice(0, NAME_MOST))}…`
}
