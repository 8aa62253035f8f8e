import { sql, type Transaction } from 'kysely'
import type { Resource } from '../resources/resource.ts'
import type { Reading } from '../warehouse/load/upsert.ts'
import type { Database } from '../warehouse/schema/database.ts'
import type { Batch, SliceEnd, StagedPage } from './batch.ts'

type Tx = Transaction<Database>

/** Records undocumented fields, each once. */
export async function recordDrift(
  tx: Tx,
  pages: readonly Pick<StagedPage, 'resource' | 'unknown'>[],
  reading: Pick<Reading, 'accountId' | 'runId' | 'seenAt'>,
): Promise<void> {
  // Every record of a service usually has the same undocumented fields: one look for the batch.
  const fields = new Map(
    pages.flatMap(({ resource: { table }, unknown }) =>
      [...unknown].map((field) => [`${table} ${field}`, { resource: table, field }] as const),
    ),
  )
  if (fields.size === 0) return
  for (const { resource, field } of await tx
    .selectFrom('schema_drift')
    .select(['resource', 'field'])
    .where('account_id', '=', reading.accountId)
    .execute()) {
    fields.delete(`${resource} ${field}`)
  }
  if (fields.size === 0) return
  const first = {
    account_id: reading.accountId,
    run_id: reading.runId,
    kind: 'unknown field',
    first_seen_at: new Date(reading.seenAt),
  }
  await tx
    .insertInto('schema_drift')
    .values([...fields.values()].map((one) => ({ ...one, ...first })))
    .execute()
}

/** Records when each id was last looked at. Stored records that are missing now are settled when all were read. */
export async function recordChecks(tx: Tx, pages: readonly StagedPage[], reading: Reading): Promise<void> {
  for (const { resource, checked, missing } of pages) {
    if (checked.length === 0) continue
    const stored = missing.length === 0 ? new Set<string>() : await storedOf(tx, resource, missing, reading)
    const gone = new Set(missing)
    const settled = checked.filter((id) => !stored.has(id))
    for (const isMissing of [false, true]) {
      const ids = settled.filter((id) => gone.has(id) === isMissing)
      await recordLooks(tx, resource, ids, isMissing, reading)
    }
  }
}

/** Records that these ids were looked at, and whether the service did not have them. */
export async function recordLooks(
  tx: Tx,
  resource: Resource,
  ids: readonly string[],
  isMissing: boolean,
  reading: Reading,
): Promise<void> {
  if (ids.length === 0) return
  await tx
    .deleteFrom('sync_checks')
    .where('account_id', '=', reading.accountId)
    .where('resource', '=', resource.table)
    .where('id', 'in', [...ids])
    .execute()
  await tx
    .insertInto('sync_checks')
    .values(
      ids.map((id) => ({
        account_id: reading.accountId,
        resource: resource.table,
        id,
        checked_at: new Date(reading.seenAt),
        is_missing: isMissing,
      })),
    )
    .execute()
}

/** Which of the ids have a stored record. */
async function storedOf(tx: Tx, resource: Resource, ids: readonly string[], reading: Reading) {
  const key = sql`${sql.ref(resource.key[0]!)}::varchar`
  const { rows } = await sql<{ id: string }>`
    select ${key} as id from ${sql.table(resource.table)}
    where account_id = ${reading.accountId} and ${key} in (select unnest(${[...ids]}::varchar[]))`.execute(tx)
  return new Set(rows.map(({ id }) => id))
}

/** Saves the bookmark of each slice: the rows of its pages, the cursor after the last one, and its end. */
export async function saveBookmarks(
  tx: Tx,
  batch: Readonly<Pick<Batch, 'pages'>> & { readonly ends: readonly SliceEnd[] },
  reading: Reading,
): Promise<void> {
  const ids = [...new Set(batch.pages.map(({ windowId }) => windowId))]
  const read = ids.map((id) => {
    const pages = batch.pages.filter(({ windowId }) => windowId === id)
    return { id, pages, last: pages.at(-1)! }
  })
  if (read.length > 0) {
    await sql`update sync_windows w set rows_read = w.rows_read + n.rows_read, requests = w.requests + n.requests,
        cursor = n.cursor, total_seen = n.total_seen, updated_at = ${new Date(reading.seenAt)}
      from (
        select unnest(${read.map(({ id }) => id)}::bigint[]) as window_id,
          unnest(${read.map(({ pages }) => pages.reduce((sum, one) => sum + one.rows, 0))}::bigint[]) as rows_read,
          unnest(${read.map(({ pages }) => pages.length)}::bigint[]) as requests,
          unnest(${read.map(({ last }) => last.cursor)}::varchar[]) as cursor,
          unnest(${read.map(({ last }) => last.total)}::bigint[]) as total_seen
      ) n
      where w.run_id = ${reading.runId} and w.window_id = n.window_id`.execute(tx)
  }
  const { ends } = batch
  if (ends.length > 0) {
    await sql`update sync_windows w set state = n.state, message = n.message, cursor = null,
        updated_at = ${new Date(reading.seenAt)}
      from (
        select unnest(${ends.map(({ windowId }) => windowId)}::bigint[]) as window_id,
          unnest(${ends.map(({ state }) => state)}::varchar[]) as state,
          unnest(${ends.map(({ message }) => message)}::varchar[]) as message
      ) n
      where w.run_id = ${reading.runId} and w.window_id = n.window_id`.execute(tx)
  }
}
