import { createHash } from 'node:crypto'
import type { Resource } from '../resources/resource.ts'
import { at, pathOf } from '../warehouse/load/record-row.ts'

/**
 * What identifies a record within its account, whether or not it fits: the parts of its key as one text; null when one of
 * them is missing or is no text or number. The time that a snapshot is stamped with is none of the record's.
 */
export function recordKey(resource: Resource, record: unknown): string | null {
  const parts = ownKey(resource).map((name) => {
    const part = at(record, pathOf(resource, name))
    return ['string', 'number', 'bigint'].includes(typeof part) && part !== '' ? String(part) : null
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
export function unstamped(resource: Resource, record: unknown): unknown {
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
