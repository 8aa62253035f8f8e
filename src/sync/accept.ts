import { fitsOf } from '../contract/fits.ts'
import { stringifyJson } from '../contract/json.ts'
import type { Resource } from '../resources/resource.ts'
import { keyOf, type RecordRow } from '../warehouse/record.ts'
import type { Page, Records } from '../warehouse/stage/page.ts'
import { STAGE_EXTRA } from '../warehouse/stage/sources.ts'
import { extraFields, knownFields } from './extra.ts'
import { recordKey, unstamped } from './record-key.ts'

/** A record that does not fit its schema, as it came. */
export interface Rejected {
  readonly payload: string
  /** What identifies it within its account, where it tells; null where it does not. */
  readonly key: string | null
  /** Dotted path of the first thing wrong. */
  readonly path: string
  readonly reason: string
}

/** The records of a page, sorted into those that fit and those that do not. */
export interface Accepted<Rows extends Records = Records> {
  readonly rows: Rows
  /** The key of each row, as one text. */
  readonly keys: readonly string[]
  readonly rejected: readonly Rejected[]
  /** Dotted names of fields that the service's document does not name. */
  readonly unknown: ReadonlySet<string>
}

/**
 * Makes the judge of a resource's records: each is validated on its own, so that one bad record costs only itself.
 * Fields nobody documented are kept in `_extra`.
 */
export function createJudge(
  resource: Resource,
): (items: readonly unknown[]) => Accepted<readonly RecordRow[]> {
  const known = knownFields(resource)
  const fits = fitsOf(resource.record)
  const { scrub } = resource
  const key = keyOf(resource)
  return (items) => {
    const rows: RecordRow[] = []
    const rejected: Rejected[] = []
    const unknown = new Set<string>()
    for (const item of items) {
      const misfit = fits(item) ? undefined : rejection(resource, item)
      if (misfit) {
        rejected.push(misfit)
        continue
      }
      const row = item as Record<string, unknown>
      // Judged as it came, kept as it may be: a rule must not make a record unfit, nor fit.
      scrub?.record(row)
      const extra = extraFields(row, known, unknown)
      // Always written: a field of this very name from the service is undocumented, so it is inside `extra`.
      row[STAGE_EXTRA] = scrub ? scrub.extra(extra) : extra
      rows.push(row)
    }
    return { rows, keys: rows.map(key), rejected, unknown }
  }
}

/** What a page is whose records were judged while they were read: all of them fit, and nothing in them is undocumented. */
export function allOf(page: Page): Accepted {
  return { rows: page, keys: page.keys, rejected: [], unknown: new Set() }
}

/** What the schema has against a record; undefined when it has nothing. */
function rejection(resource: Resource, item: unknown): Rejected | undefined {
  const result = resource.record.safeParse(item)
  if (result.success) return undefined
  const issue = result.error.issues[0]
  const kept = unstamped(resource, resource.scrub ? resource.scrub.rejected(item) : item)
  return {
    payload: stringifyJson(kept),
    key: recordKey(resource, kept),
    path: issue?.path.join('.') ?? '',
    reason: issue?.message ?? 'does not fit',
  }
}
