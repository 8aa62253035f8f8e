import type { Transaction } from 'kysely'
import type { Database } from '../warehouse/database.ts'
import type { Reading } from '../warehouse/upsert.ts'
import type { Batch, PageNote } from './batch.ts'

type Tx = Transaction<Database>

/** Notes undocumented fields, each once. */
export async function noteDrift(
  tx: Tx,
  pages: readonly Pick<PageNote, 'resource' | 'unknown'>[],
  reading: Pick<Reading, 'runId' | 'seenAt'>,
): Promise<void> {
  // Every record of a service usually has the same undocumented fields: one look for the whole batch.
  const fields = new Map(
    pages.flatMap(({ resource: { table }, unknown }) =>
      [...unknown].map((field) => [`${table} ${field}`, { resource: table, field }] as const),
    ),
  )
  if (fields.size === 0) return
  for (const { resource, field } of await tx
    .selectFrom('schema_drift')
    .select(['resource', 'field'])
    .execute()) {
    fields.delete(`${resource} ${field}`)
  }
  if (fields.size === 0) return
  const noted = { kind: 'unknown field', first_seen_at: new Date(reading.seenAt), run_id: reading.runId }
  await tx
    .insertInto('schema_drift')
    .values([...fields.values()].map((one) => ({ ...one, ...noted })))
    .execute()
}

/** Notes when each id was last looked at. */
export async function noteChecks(tx: Tx, pages: readonly PageNote[], reading: Reading): Promise<void> {
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

/** Writes down how far each slice has got: the rows of its pages, the place after the last one, and its end. */
export async function noteProgress(tx: Tx, batch: Batch, reading: Reading): Promise<void> {
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
  for (const { window, state, message } of batch.endings) {
    await tx
      .updateTable('sync_windows')
      .set({ state, message, cursor: null, updated_at: now })
      .where('run_id', '=', BigInt(reading.runId))
      .where('window_id', '=', BigInt(window))
      .execute()
  }
}

function groupByWindow(pages: readonly PageNote[]): Map<number, PageNote[]> {
  const groups = new Map<number, PageNote[]>()
  for (const delivery of pages) {
    const group = groups.get(delivery.window)
    if (group) group.push(delivery)
    else groups.set(delivery.window, [delivery])
  }
  return groups
}
