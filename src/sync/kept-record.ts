import { createHash } from 'node:crypto'
import { stringifyJson } from '../contract/json.ts'
import type { Resource } from '../resources/resource.ts'
import { recordKey, unstamped } from './record-key.ts'

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
export function keptOf(resource: Resource, record: unknown): { payload: string; key: string | null } {
  const kept = unstamped(resource, resource.scrub ? resource.scrub.rejected(record) : record)
  const payload = stringifyJson(kept)
  return {
    payload: payload.length <= KEPT_MOST ? payload : stringifyJson(beginnings(kept, payload)),
    key: recordKey(resource, kept),
  }
}

/** Whether only beginnings are left of a kept record, so that it can never be loaded, but waits for a good copy. */
export function isCut(record: unknown): boolean {
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
