import { sql, type Transaction } from 'kysely'
import type { Resource } from '../resources/resource.ts'
import type { Reading } from '../warehouse/load/upsert.ts'
import type { Database } from '../warehouse/schema/database.ts'
import type { Batch, StagedPage } from './batch.ts'

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
    await recordLooks(
      tx,
      resource,
      settled.filter((id) => !gone.has(id)),
      false,
      reading,
    )
    await recordLooks(
      tx,
      resource,
      settled.filter((id) => gone.has(id)),
      true,
      reading,
    )
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
  batch: Pick<Batch, 'pages' | 'ends'>,
  reading: Reading,
): Promise<void> {
  const now = new Date(reading.seenAt)
  for (const [windowId, pages] of groupByWindow(batch.pages)) {
    const last = pages.at(-1)!
    await tx
      .updateTable('sync_windows')
      .set((eb) => ({
        rows_read: eb('rows_read', '+', BigInt(pages.reduce((sum, one) => sum + one.rows, 0))),
        requests: eb('requests', '+', BigInt(pages.length)),
        cursor: last.cursor,
        total_seen: last.total,
        updated_at: now,
      }))
      .where('run_id', '=', BigInt(reading.runId))
      .where('window_id', '=', BigInt(windowId))
      .execute()
  }
  for (const { windowId, state, message } of batch.ends) {
    await tx
      .updateTable('sync_windows')
      .set({ state, message, cursor: null, updated_at: now })
      .where('run_id', '=', BigInt(reading.runId))
      .where('window_id', '=', BigInt(windowId))
      .execute()
  }
}

function groupByWindow(pages: readonly StagedPage[]): Map<number, StagedPage[]> {
  const groups = new Map<number, StagedPage[]>()
  for (const page of pages) {
    const group = groups.get(page.windowId)
    if (group) group.push(page)
    else groups.set(page.windowId, [page])
  }
  return groups
}
