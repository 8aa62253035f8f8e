import { sql, type Transaction } from 'kysely'
import type { Resource } from '../resources/resource.ts'
import type { Reading } from '../warehouse/load/upsert.ts'
import type { Database } from '../warehouse/schema/database.ts'
import type { SliceEnd } from './batch.ts'
import { recordLooks, saveBookmarks } from './bookmarks.ts'
import type { SyncScope } from './slice.ts'
import type { Failure } from './slice-runs.ts'

type Tx = Transaction<Database>

/** A finished slice compared with what is stored of it. */
export interface Look {
  readonly end: SliceEnd
  /** Stored records of what was read again, those just read included. */
  readonly stored: number
  /** How many of them were not brought. */
  readonly missing: number
  /** Which ones. */
  readonly keys: readonly string[]
}

/** Records that are missing all at once: more likely an outage than the truth. */
export interface Outage {
  /** The slices that miss some. */
  readonly windows: ReadonlySet<number>
  readonly stored: number
  readonly missing: number
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
export async function findMissing(tx: Tx, end: SliceEnd, reading: Reading): Promise<Look> {
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

/**
 * Decides about all slices of a resource together, since an outage may hide in many small ones: marks what is missing as
 * vanished, or, where it is too much at once, leaves every stored record as it is and those slices unproven, so that the
 * next run reads them again.
 */
export async function settleMissing(
  tx: Tx,
  resource: Resource,
  looks: readonly Look[],
  reading: Reading,
  acceptVanished: boolean,
): Promise<{ vanished: number; outage: Outage | null }> {
  const short = looks.filter(({ missing }) => missing > 0)
  const sum = (count: (look: Look) => number) => looks.reduce((total, look) => total + count(look), 0)
  const all = { stored: sum(({ stored }) => stored), missing: sum(({ missing }) => missing) }
  if (!acceptVanished && [all, ...short].some(isOutage)) {
    const ends = short.map(({ end, stored, missing }) => ({
      ...end,
      state: 'unproven' as const,
      message: `${missing} of ${stored} stored records are not listed any more`,
    }))
    await saveBookmarks(tx, { pages: [], ends }, reading)
    return { vanished: 0, outage: { ...all, windows: new Set(short.map(({ end }) => end.windowId)) } }
  }
  let vanished = 0
  for (const look of short) vanished += await markMissing(tx, resource, look, reading)
  await saveBookmarks(tx, { pages: [], ends: short.map(({ end }) => end) }, reading)
  return { vanished, outage: null }
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
 * Marks missing records of a window as vanished, never a delete; of what is read by id, records that the service did not
 * have it. A record that was read elsewhere since then is not missing. Returns the number of rows marked.
 */
async function markMissing(
  tx: Tx,
  resource: Resource,
  { end, keys }: Look,
  reading: Reading,
): Promise<number> {
  if (resource.read.kind === 'ids') await recordLooks(tx, resource, keys, true, reading)
  if (resource.read.kind !== 'windows') return 0
  const { rows } = await sql`
    update ${sql.table(resource.table)} set vanished_at = ${new Date(reading.seenAt)}
    where ${rereadOf(end, reading)} and ${keyOf(resource)} in (select unnest(${[...keys]}::varchar[]))
    returning 1`.execute(tx)
  return rows.length
}

/** The stored records of what was read again: those on a shared edge belong to the later window, and both brought them. */
function rereadOf({ resource, reread }: SliceEnd, { accountId }: Reading) {
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
