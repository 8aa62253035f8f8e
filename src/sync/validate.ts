import { fitsOf } from '../contract/fits.ts'
import { stringifyJson } from '../contract/json.ts'
import { ContractError } from '../errors.ts'
import type { Resource } from '../resources/resource.ts'
import { keyOf, type RecordRow } from '../warehouse/load/record.ts'
import { EXTRA } from '../warehouse/load/stage-table.ts'
import { extraFields, knownFields } from './extra.ts'
import { recordKey, unstamped } from './record-key.ts'

/** A record that does not fit its schema, as it came. */
export interface Rejected {
  readonly payload: string
  /** Its key within its account; null where it has none. */
  readonly key: string | null
  /** Dotted path of the first thing wrong. */
  readonly path: string
  readonly reason: string
}

/** The records of a page, sorted into those that fit and those that do not. */
export interface Validated {
  readonly accepted: readonly RecordRow[]
  /** The key of each accepted record, as one text. */
  readonly keys: readonly string[]
  readonly rejected: readonly Rejected[]
  /** Dotted names of fields that the service's document does not name. */
  readonly unknown: ReadonlySet<string>
}

/**
 * Makes the validation of a resource's records: each by itself, so that one bad record costs only itself. What is
 * accepted is under the privacy rules already; undocumented fields are in `_extra`, and ContractError is thrown when there
 * is no end of them.
 */
export function createValidator(resource: Resource): (items: readonly unknown[]) => Validated {
  const known = knownFields(resource)
  const fits = fitsOf(resource.record)
  const { scrub } = resource
  const key = keyOf(resource)
  /** Of all pages. */
  const names = new Set<string>()
  return (items) => {
    const accepted: RecordRow[] = []
    const rejected: Rejected[] = []
    const unknown = new Set<string>()
    for (const item of items) {
      const isDeep = isDeeper(item, LEVELS)
      const rejection = !isDeep && fits(item) ? undefined : rejectionOf(resource, item, isDeep)
      if (rejection) {
        rejected.push(rejection)
        continue
      }
      const record = item as Record<string, unknown>
      // Validated as it came, kept as it may be: a rule must not make a record unfit, nor fit.
      scrub?.record(record)
      const extra = extraFields(record, known, unknown)
      for (const name of unknown) names.add(name)
      if (names.size > UNKNOWN_MOST) throw tooManyFields(resource)
      // Always written: a field of this very name from the service is undocumented, so it is inside `extra`.
      record[EXTRA] = scrub ? scrub.extra(extra) : extra
      accepted.push(record)
    }
    return { accepted, keys: accepted.map(key), rejected, unknown }
  }
}

/** A new version of the service may bring a handful; each is a row of `schema_drift`. */
const UNKNOWN_MOST = 100

function tooManyFields({ operation }: Resource): ContractError {
  const message = `more than ${UNKNOWN_MOST} fields that the service's document does not name`
  return new ContractError(`${operation}: ${message}`, {
    operation,
    issues: [{ path: '', message }],
    next: 'Check that `baseUrl` is the address of the service. Pages before this one are stored.',
  })
}

/** `JSON.stringify` overflows the stack at some thousand levels, and no record of the service has ten. */
const LEVELS = 500

/** What is wrong with a record; undefined when the schema has nothing against it. */
function rejectionOf(resource: Resource, item: unknown, isDeep: boolean): Rejected | undefined {
  const result = isDeep ? undefined : resource.record.safeParse(item)
  if (result?.success) return undefined
  // One level more than is allowed stays, so that the record fits no better when it is validated again.
  const record = isDeep ? cutBelow(item, LEVELS + 1) : item
  const kept = unstamped(resource, resource.scrub ? resource.scrub.rejected(record) : record)
  const issue = result?.error.issues[0]
  return {
    payload: stringifyJson(kept),
    key: recordKey(resource, kept),
    path: issue?.path.join('.') ?? '',
    reason: isDeep ? `nested deeper than ${LEVELS} levels` : (issue?.message ?? 'does not fit'),
  }
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  if (Array.isArray(value)) return value.some((one) => isDeeper(one, levels - 1))
  for (const key in value) {
    const part = (value as RecordRow)[key]
    if (typeof part === 'object' && isDeeper(part, levels - 1)) return true
  }
  return false
}

/** A copy in which objects and lists below so many levels are empty. */
function cutBelow(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return levels === 1 ? [] : value.map((one) => cutBelow(one, levels - 1))
  const fields = levels === 1 ? [] : Object.entries(value)
  return Object.fromEntries(fields.map(([key, one]) => [key, cutBelow(one, levels - 1)]))
}
