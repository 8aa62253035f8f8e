import type { Transaction } from 'kysely'
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

/** Records when each id was last looked at. */
export async function recordChecks(tx: Tx, pages: readonly StagedPage[], reading: Reading): Promise<void> {
  for (const { resource, checked, missing } of pages) {
    if (checked.length === 0) continue
    const gone = new Set(missing)
    await tx
      .deleteFrom('sync_checks')
      .where('account_id', '=', reading.accountId)
      .where('resource', '=', resource.table)
      .where('id', 'in', [...checked])
      .execute()
    await tx
      .insertInto('sync_checks')
      .values(
        checked.map((id) => ({
          account_id: reading.accountId,
          resource: resource.table,
          id,
          checked_at: new Date(reading.seenAt),
          is_missing: gone.has(id),
        })),
      )
      .execute()
  }
}

/** Saves the bookmark of each slice: the rows of its pages, the cursor after the last one, and its end. */
export async function saveBookmarks(tx: Tx, batch: Batch, reading: Reading): Promise<void> {
  const now = new Date(reading.seenAt)
  for (const [window, pages] of groupByWindow(batch.pages)) {
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
      .where('window_id', '=', BigInt(window))
      .execute()
  }
  for (const { window, state, message } of batch.ends) {
    await tx
      .updateTable('sync_windows')
      .set({ state, message, cursor: null, updated_at: now })
      .where('run_id', '=', BigInt(reading.runId))
      .where('window_id', '=', BigInt(window))
      .execute()
  }
}

function groupByWindow(pages: readonly StagedPage[]): Map<number, StagedPage[]> {
  const groups = new Map<number, StagedPage[]>()
  for (const page of pages) {
    const group = groups.get(page.window)
    if (group) group.push(page)
    else groups.set(page.window, [page])
  }
  return groups
}
