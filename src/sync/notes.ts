import type { Transaction } from 'kysely'
import type { Database } from '../warehouse/database.ts'
import type { Reading } from '../warehouse/upsert.ts'
import type { Batch, Delivery } from './batch.ts'

type Tx = Transaction<Database>

/** Keeps records that do not fit, as they came, with the reason. Returns how many there were. */
export async function quarantine(tx: Tx, deliveries: readonly Delivery[], reading: Reading): Promise<number> {
  const rows = deliveries.flatMap(({ resource, requestId, rejected }) =>
    rejected.map(({ path, reason, payload }) => ({
      run_id: reading.runId,
      resource: resource.table,
      operation: resource.operation,
      request_id: requestId,
      path,
      reason,
      payload,
      seen_at: new Date(reading.seenAt),
    })),
  )
  if (rows.length > 0) await tx.insertInto('quarantine').values(rows).execute()
  return rows.length
}

/** Notes undocumented fields, each once. */
export async function noteDrift(tx: Tx, deliveries: readonly Delivery[], reading: Reading): Promise<void> {
  for (const { resource, unknown } of deliveries) {
    for (const field of unknown) {
      const known = await tx
        .selectFrom('schema_drift')
        .select('field')
        .where('resource', '=', resource.table)
        .where('field', '=', field)
        .executeTakeFirst()
      if (known) continue
      await tx
        .insertInto('schema_drift')
        .values({
          resource: resource.table,
          field,
          kind: 'unknown field',
          first_seen_at: new Date(reading.seenAt),
          run_id: reading.runId,
        })
        .execute()
    }
  }
}

/** Notes when each id was last looked at. */
export async function noteChecks(tx: Tx, deliveries: readonly Delivery[], reading: Reading): Promise<void> {
  for (const { resource, checked, missing } of deliveries) {
    if (checked.length === 0) continue
    const gone = new Set(missing)
    await tx
      .deleteFrom('sync_checks')
      .where('resource', '=', resource.table)
      .where('id', 'in', [...checked])
      .execute()
    await tx
      .insertInto('sync_checks')
      .values(
        checked.map((id) => ({
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
  for (const [window, deliveries] of groupByWindow(batch.deliveries)) {
    const last = deliveries.at(-1)!
    await tx
      .updateTable('sync_windows')
      .set((eb) => ({
        rows_read: eb('rows_read', '+', BigInt(deliveries.reduce((sum, one) => sum + one.rows.length, 0))),
        requests: eb('requests', '+', BigInt(deliveries.length)),
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

function groupByWindow(deliveries: readonly Delivery[]): Map<number, Delivery[]> {
  const groups = new Map<number, Delivery[]>()
  for (const delivery of deliveries) {
    const group = groups.get(delivery.window)
    if (group) group.push(delivery)
    else groups.set(delivery.window, [delivery])
  }
  return groups
}
