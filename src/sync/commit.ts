import type { Transaction } from 'kysely'
import type { Resource } from '../resources/resource.ts'
import type { Database } from '../warehouse/database.ts'
import { at, type RecordRow } from '../warehouse/stage.ts'
import type { Reading } from '../warehouse/upsert.ts'
import type { Warehouse } from '../warehouse/warehouse.ts'
import { keyOf } from './accept.ts'
import type { Batch, Delivery } from './batch.ts'
import { noteChecks, noteDrift, noteProgress, quarantine } from './notes.ts'
import { markVanished } from './vanished.ts'

/** Rows a batch changed. */
export interface BatchWritten {
  readonly inserted: number
  readonly replaced: number
  readonly vanished: number
  readonly quarantined: number
}

/** Stores a batch and how far its slices have got by it, in one transaction. */
export function commitBatch(warehouse: Warehouse, batch: Batch, reading: Reading): Promise<BatchWritten> {
  return warehouse.db.transaction().execute(async (transaction) => {
    let inserted = 0
    let replaced = 0
    for (const [resource, deliveries] of byResource(batch.deliveries)) {
      const result = await warehouse.upsert(resource, newestOfEach(resource, deliveries), reading)
      inserted += result.inserted
      replaced += result.replaced
    }
    const quarantined = await quarantine(transaction, batch.deliveries, reading)
    await noteDrift(transaction, batch.deliveries, reading)
    await noteChecks(transaction, batch.deliveries, reading)
    await noteProgress(transaction, batch, reading)
    const vanished = await vanish(transaction, batch, reading)
    return { inserted, replaced, vanished, quarantined }
  })
}

async function vanish(transaction: Transaction<Database>, batch: Batch, reading: Reading): Promise<number> {
  let vanished = 0
  for (const ending of batch.endings) vanished += await markVanished(transaction, ending, reading)
  return vanished
}

function byResource(deliveries: readonly Delivery[]): Map<Resource, Delivery[]> {
  const groups = new Map<Resource, Delivery[]>()
  for (const delivery of deliveries) {
    const group = groups.get(delivery.resource)
    if (group) group.push(delivery)
    else groups.set(delivery.resource, [delivery])
  }
  return groups
}

/** One row a key: windows share their boundary second and pages can repeat a row. The newest wins, then the later. */
function newestOfEach(resource: Resource, deliveries: readonly Delivery[]): RecordRow[] {
  const key = keyOf(resource)
  const path = resource.columns.find((column) => column.name === resource.updated)?.path
  const newest = new Map<string, RecordRow>()
  for (const { rows } of deliveries) {
    for (const row of rows) {
      const id = key(row)
      const other = newest.get(id)
      if (other === undefined || !path || updatedAt(row, path) >= updatedAt(other, path)) newest.set(id, row)
    }
  }
  return [...newest.values()]
}

function updatedAt(row: RecordRow, path: readonly string[]): number {
  return Number(at(row, path) ?? 0)
}
