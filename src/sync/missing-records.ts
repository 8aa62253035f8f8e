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

/** A finished slice compared with what is stored of it. */
export interface Comparison {
  readonly end: SliceEnd
  /** Stored records of what was read again, those just read included. */
  readonly stored: number
  /** How many of them were not brought. */
  readonly missing: number
  /** Which ones. */
  readonly keys: readonly string[]
}

/** Records that are missing all at once: more likely an outage than the truth. */
interface Outage {
  readonly stored: number
  readonly missing: number
}

/** What was decided about the records that the slices of a resource did not bring. */
export interface MissingRecords {
  readonly vanished: number
  /** Why nothing was marked; null when it was believed. */
  readonly outage: Outage | null
  /** Slices that miss some which were not marked. */
  readonly unproven: ReadonlySet<number>
}

/** So many missing records are nothing unusual, however few there are. */
const HANDFUL = 10

/** Of many, this share may go missing from one night to the next. */
const SMALL_SHARE = 0.02

/** Whether so many records at once are not believed to be gone. */
function isOutage({ stored, missing }: { stored: number; missing: number }): boolean {
  return missing > HANDFUL && missing > SMALL_SHARE * stored
}

/** Looks for stored records that a finished slice should have brought and did not. */
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

/** Whether the slices of a resource together miss too much at once: an outage may hide in many small ones. */
export function detectOutage(comparisons: readonly Comparison[]): Outage | null {
  const sum = (count: (one: Comparison) => number) =>
    comparisons.reduce((total, one) => total + count(one), 0)
  const all = { stored: sum(({ stored }) => stored), missing: sum(({ missing }) => missing) }
  return [all, ...comparisons].some(isOutage) ? all : null
}

/**
 * Marks what is missing as vanished. What the service still has elsewhere (`found`) is not missing; where that is unknown
 * (null), or too much is missing at once, every stored record stays as it is and its slices are unproven, so that the next
 * run reads them again.
 */
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
      message: `${missing} of ${stored} stored records are not listed any more${outage ? '' : ', and whether the service still has them could not be told'}`,
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

/** What people should know of an outage, and do. */
export function outageWarning(resource: Resource, outage: Outage, { full }: SyncScope): Failure {
  const count = (value: number) => value.toLocaleString('en')
  const command = `faultline sync ${full ? '--full ' : ''}--accept-vanished`
  return {
    resource: resource.table,
    message:
      `${count(outage.missing)} of ${count(outage.stored)} stored records that were read again are not listed any more. ` +
      'So many at once look like an outage, or a key with fewer rights: none was marked as vanished.',
    next: `Look whether the service still has them. If they are really gone, run \`${command}\`.`,
  }
}

/**
 * Marks missing records as vanished, never a delete; of what is read by id, notes too that it was asked for. A record that
 * was read elsewhere since then is not missing. Returns the number of rows marked.
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

/** The stored records of what was read again: those on a shared edge belong to the later window, and both brought them. */
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
