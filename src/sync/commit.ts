import type { Transaction } from 'kysely'
import type { Database } from '../warehouse/database.ts'
import type { Reading } from '../warehouse/upsert.ts'
import type { Warehouse } from '../warehouse/warehouse.ts'
import type { Batch } from './batch.ts'
import { noteChecks, noteDrift, noteProgress } from './notes.ts'
import { quarantine, resolve } from './quarantine.ts'
import { markVanished } from './vanished.ts'

/** Rows a batch changed. */
export interface BatchWritten {
  readonly inserted: number
  readonly replaced: number
  readonly vanished: number
  /** Records that do not fit and were never seen before. */
  readonly quarantined: number
}

/** Stores a batch and how far its slices have got by it, in one transaction. */
export function commitBatch(warehouse: Warehouse, batch: Batch, reading: Reading): Promise<BatchWritten> {
  return warehouse.db.transaction().execute(async (transaction) => {
    let inserted = 0
    let replaced = 0
    for (const stage of batch.stages.values()) {
      const result = await warehouse.upsert(stage, reading)
      inserted += result.inserted
      replaced += result.replaced
      // Before this batch's own are added: of a good and a bad copy read together, it is not known which is the newer.
      await resolve(transaction, stage, reading)
    }
    const quarantined = await quarantine(transaction, batch.pages, reading)
    await noteDrift(transaction, batch.pages, reading)
    await noteChecks(transaction, batch.pages, reading)
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
