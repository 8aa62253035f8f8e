import { isDeeper, stringifyJson } from '../contract/json.ts'
import { ACCOUNT } from '../definitions/tables.ts'
import { ContractError } from '../errors.ts'
import type { Column, Resource } from '../resources/resource.ts'
import { at, keyOf, pathOf, type RecordRow } from '../warehouse/load/record-row.ts'
import { EXTRA } from '../warehouse/load/stage-table.ts'
import { idLowerer } from './lower-ids.ts'
import type { RefusedRecord } from './page.ts'
import { nameOf, quarantinePayload } from './quarantined-record.ts'
import { CLOCK_TOLERANCE_S } from './slice.ts'
import { extraFields, knownFields, type UnknownWord, wordCollector } from './undocumented-fields.ts'

export interface Rejected {
  /** JSON of the record, truncated if large. */
  readonly payload: string
  /** Key within the account, or null if the record has no valid key. */
  readonly key: string | null
  /** Dotted path of the first error. */
  readonly path: string
  readonly reason: string
  readonly isForeign?: true
}

/** Returns a rejection of an unreadable record. No schema accepts its payload, so `--replay` cannot load it. */
export function refusedRecord(resource: Resource, { id, reason }: RefusedRecord): Rejected {
  const payload = stringifyJson({ refused_id: id, reason })
  return { payload, key: id, path: resource.key[0] ?? '', reason }
}

export interface Validated {
  readonly accepted: readonly RecordRow[]
  readonly keys: readonly string[]
  readonly rejected: readonly Rejected[]
  /** Dotted names of undocumented fields. */
  readonly unknown: ReadonlySet<string>
  readonly words: ReadonlyMap<string, UnknownWord>
}

/**
 * Returns a function that rejects invalid records, times after `now` (Unix seconds), and records of other accounts.
 * It applies privacy rules to the accepted records, and collects their undocumented fields in `_extra`.
 */
export function createValidator(
  resource: Resource,
  accountId?: bigint,
): (items: readonly unknown[], now?: number) => Validated {
  const known = knownFields(resource)
  const { scrub } = resource
  const key = keyOf(resource)
  const timeAhead = timesAhead(resource)
  const collectWords = wordCollector(resource)
  const lowerIds = idLowerer(resource)
  const names = new Set<string>()
  return (items, now = Number.POSITIVE_INFINITY) => {
    const accepted: RecordRow[] = []
    const rejected: Rejected[] = []
    const unknown = new Set<string>()
    const words = new Map<string, UnknownWord>()
    for (const item of items) {
      const rejection =
        misfitRejection(resource, item) ??
        foreignRejection(resource, item, accountId) ??
        aheadRejection(resource, item, timeAhead(item, now + CLOCK_TOLERANCE_S))
      if (rejection) {
        rejected.push(rejection)
        continue
      }
      const record = item as Record<string, unknown>
      // Privacy rules follow validation, so that they cannot make a record valid or invalid.
      scrub?.record(record)
      lowerIds(record)
      const extra = extraFields(record, known, unknown)
      for (const name of unknown) names.add(name)
      if (names.size > UNKNOWN_MOST) throw tooManyFields(resource)
      // This overwrites a field `_extra` of the service, but `extra` contains its value.
      record[EXTRA] = scrub ? scrub.extra(extra) : extra
      collectWords(record, words)
      accepted.push(record)
    }
    return { accepted, keys: accepted.map(key), rejected, unknown, words }
  }
}

/** A new version of the service adds only a few fields. If there are more than this, the address is wrong. */
const UNKNOWN_MOST = 100

function tooManyFields({ operation }: Resource): ContractError {
  const message = `more than ${UNKNOWN_MOST} undocumented fields`
  return new ContractError(`${operation}: ${message}`, {
    operation,
    issues: [{ path: '', message }],
    next: 'Check that `baseUrl` is the address of the service. Pages before this one are stored.',
  })
}

/** Maximum nesting of a record. `JSON.stringify` fails at some thousand levels. */
const LEVELS = 500

function misfitRejection(resource: Resource, item: unknown): Rejected | undefined {
  const isDeep = isDeeper(item, LEVELS)
  const result = isDeep ? undefined : resource.record.safeParse(item)
  if (result?.success) return undefined
  // Keeps one level more than allowed, so that `--replay` rejects the record as well.
  const record = isDeep ? cutBelow(item, LEVELS + 1) : item
  const issue = result?.error.issues[0]
  return {
    ...quarantinePayload(resource, record),
    path: nameOf(issue?.path ?? []),
    reason: isDeep ? `nested deeper than ${LEVELS} levels` : (issue?.message ?? 'does not fit'),
  }
}

/** Returns a rejection for a record of another account. An account id of 0 means "not set". */
function foreignRejection(resource: Resource, item: unknown, accountId: bigint | undefined) {
  const path = pathOf(resource, ACCOUNT.name)
  if (accountId === undefined || path.length === 0) return undefined
  const owner = at(item, path)
  if (typeof owner !== 'number' && typeof owner !== 'bigint') return undefined
  if (BigInt(owner) === 0n || BigInt(owner) === accountId) return undefined
  const reason = `belongs to account ${owner}, not to that of the app key (${accountId})`
  return { ...quarantinePayload(resource, item), path: path.join('.'), reason, isForeign: true as const }
}

function aheadRejection(resource: Resource, item: unknown, ahead: Ahead | undefined): Rejected | undefined {
  if (ahead === undefined) return undefined
  const at = new Date(Number(ahead.seconds) * 1_000)
  const when = Number.isNaN(at.getTime()) ? String(ahead.seconds) : at.toISOString()
  return {
    ...quarantinePayload(resource, item),
    path: ahead.path,
    reason: `${when} is ahead of the service's clock`,
  }
}

interface Ahead {
  readonly path: string
  readonly seconds: number | bigint
}

/** Finds the first time after `latest`, except in columns whose times can be in the future. */
function timesAhead(resource: Resource): (record: unknown, latest: number) => Ahead | undefined {
  const pathsOf = (columns: readonly Column[]) =>
    columns.filter(({ type, mayLieAhead }) => type === 'TIMESTAMPTZ' && !mayLieAhead).map(({ path }) => path)
  const own = pathsOf(resource.columns)
  const children = resource.children.map(({ path, columns }) => ({ path, times: pathsOf(columns) }))
  const first = (value: unknown, paths: readonly (readonly string[])[], latest: number, prefix = '') => {
    for (const path of paths) {
      const seconds = at(value, path)
      if ((typeof seconds === 'number' || typeof seconds === 'bigint') && seconds > latest)
        return { path: prefix + path.join('.'), seconds }
    }
    return undefined
  }
  return (record, latest) => {
    const found = first(record, own, latest)
    if (found) return found
    for (const { path, times } of children) {
      const list = times.length === 0 ? undefined : at(record, path)
      if (!Array.isArray(list)) continue
      for (const [index, element] of list.entries()) {
        const inside = first(element, times, latest, `${path.join('.')}.${index}.`)
        if (inside) return inside
      }
    }
    return undefined
  }
}

/** Returns a copy in which objects and lists below this level are empty. */
function cutBelow(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return levels === 1 ? [] : value.map((one) => cutBelow(one, levels - 1))
  const fields = levels === 1 ? [] : Object.entries(value)
  return Object.fromEntries(fields.map(([key, one]) => [key, cutBelow(one, levels - 1)]))
}
