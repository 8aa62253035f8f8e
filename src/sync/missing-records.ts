import { sql, type Transaction } from 'kysely'
import type { Resource } from '../resources/resource.ts'
import type { BatchContext } from '../warehouse/load/upsert.ts'
import type { Database } from '../warehouse/schema/database.ts'
import type { SliceEnd } from './batch.ts'
import { recordChecked, saveBookmarks } from './checkpoints.ts'
import type { SyncScope } from './slice.ts'
import type { Failure } from './slice-runs.ts'
import { after } from './window-state.ts'

type Tx = Transaction<Database>

export interface Comparison {
  readonly end: SliceEnd
  /** Number of stored records, including those that were just read. */
  readonly stored: number
  readonly missing: number
  readonly keys: readonly string[]
}

/** The numbers of an outage: so many records are missing that deletions are unlikely. */
interface Outage {
  readonly stored: number
  readonly missing: number
}

export interface MissingRecords {
  readonly vanished: number
  /** Set if no record was marked as missing, because an outage is likely. */
  readonly outage: Outage | null
  /** Ids of windows whose missing records were not marked. */
  readonly unproven: ReadonlySet<number>
}

/** Up to this many records, or this share of the stored ones, can normally disappear between two runs. */
const HANDFUL = 10

const SMALL_SHARE = 0.02

function isOutage({ stored, missing }: Outage): boolean {
  return missing > HANDFUL && missing > SMALL_SHARE * stored
}

export async function findMissing(tx: Tx, end: SliceEnd, reading: BatchContext): Promise<Comparison> {
  const { resource, reread } = end
  if (reread === null) return { end, stored: 0, missing: 0, keys: [] }
  const key = keyOf(resource)
  const among = rereadOf(end, reading)
  const { rows: counts } = await sql<{ stored: number }>`
    select count(*)::int as stored from ${sql.table(resource.table)} where ${among}`.execute(tx)
  const { rows } = await sql<{ key: string }>`
    select ${key} as key from ${sql.table(resource.table)}
    where ${among} and ${key} not in (select unnest(${[...reread.keys]}::varchar[]))`.execute(tx)
  const { stored = 0 } = counts[0] ?? {}
  return { end, stored, missing: rows.length, keys: rows.map((row) => row.key) }
}

/** Checks each slice by itself, and all slices together, because an outage can affect many small slices. */
export function detectOutage(comparisons: readonly Comparison[]): Outage | null {
  const sum = (count: (one: Comparison) => number) =>
    comparisons.reduce((total, one) => total + count(one), 0)
  const all = { stored: sum(({ stored }) => stored), missing: sum(({ missing }) => missing) }
  return [all, ...comparisons].some(isOutage) ? all : null
}

/** Marks missing records, except those in `found`. Marks none if `found` is null or an outage is likely. */
export async function markVanished(
  tx: Tx,
  resource: Resource,
  comparisons: readonly Comparison[],
  reading: BatchContext,
  { outage, found }: { outage: Outage | null; found: ReadonlySet<string> | null },
): Promise<MissingRecords> {
  const short = comparisons.filter(({ missing }) => missing > 0)
  if (outage || found === null) {
    const ends = short.map(({ end, stored, missing }) => ({
      ...end,
      state: after('done', 'not believed'),
      message: `${missing} of ${stored} stored records were not returned${outage ? '' : ', and it is unknown whether the service still has them'}`,
    }))
    await saveBookmarks(tx, { pages: [], ends }, reading)
    return { vanished: 0, outage, unproven: new Set(short.map(({ end }) => end.windowId)) }
  }
  let vanished = 0
  for (const { end, keys } of short) {
    const gone = keys.filter((key) => !found.has(key))
    vanished += await markRows(tx, resource, { end, keys: gone }, reading)
  }
  await saveBookmarks(tx, { pages: [], ends: short.map(({ end }) => end) }, reading)
  return { vanished, outage: null, unproven: new Set() }
}

export function outageWarning(resource: Resource, outage: Outage, { full }: SyncScope): Failure {
  const count = (value: number) => value.toLocaleString('en')
  const command = `faultline sync ${full ? '--full ' : ''}--accept-vanished`
  return {
    resource: resource.table,
    message:
      `${count(outage.missing)} of ${count(outage.stored)} stored records are missing. ` +
      'That many at once indicate an outage, or a key with fewer rights, so none was marked as missing.',
    next: `Check whether the service still has them. If they are really gone, run \`${command}\`.`,
  }
}

/**
 * Marks the rows of missing records, but not those that meanwhile moved to another window. Returns the number of marked
 * rows.
 */
async function markRows(
  tx: Tx,
  resource: Resource,
  { end, keys }: Pick<Comparison, 'end' | 'keys'>,
  reading: BatchContext,
): Promise<number> {
  if (resource.read.kind === 'ids') await recordChecked(tx, resource, keys, 'missing', reading)
  const { rows } = await sql`
    update ${sql.table(resource.table)} set vanished_at = ${new Date(reading.seenAt)}
    where ${rereadOf(end, reading)} and ${keyOf(resource)} in (select unnest(${[...keys]}::varchar[]))
    returning 1`.execute(tx)
  return rows.length
}

function rereadOf({ resource, reread }: SliceEnd, { accountId }: BatchContext) {
  const conditions = [sql`account_id = ${accountId}`, sql`vanished_at is null`]
  if (reread?.window && resource.read.kind === 'windows') {
    const start = sql.ref(resource.read.start)
    conditions.push(
      sql`${start} >= ${new Date(reread.window.start * 1_000)} and ${start} < ${new Date(reread.window.end * 1_000)}`,
    )
  }
  if (reread?.ids) conditions.push(sql`${keyOf(resource)} in (select unnest(${[...reread.ids]}::varchar[]))`)
  return sql.join(conditions, sql` and `)
}

const keyOf = (resource: Resource) => sql`${sql.ref(resource.key[0]!)}::varchar`
