import type { Effects } from '../effects.ts'
import type { Warehouse } from '../warehouse/warehouse.ts'
import { type Batch, type Delivery, type Ending, emptyBatch } from './batch.ts'
import { commitBatch } from './commit.ts'

/** Rows counted since the loader was made. */
export interface LoadCounts {
  read: number
  inserted: number
  replaced: number
  vanished: number
  quarantined: number
}

export interface Loader {
  readonly counts: LoadCounts
  /** Takes a page; resolves when there is room for the next one. Rejects once a batch could not be stored. */
  add(delivery: Delivery): Promise<void>
  /** Takes the end of a slice. */
  end(ending: Ending): void
  /** Stores what is left. */
  drain(): Promise<void>
}

/** Rows a batch holds at least before it is stored: large enough for DuckDB, small enough to lose or to hold twice. */
export const BATCH_ROWS = 10_000

/** A batch is stored at the latest so long after its first page, so that slow reading is kept as well. */
const BATCH_AGE_MS = 2_000

/**
 * The one writer. While a batch is stored, the next one fills; when that is full too, readers wait. A batch and
 * how far its slices have got by it are one transaction, so a killed run leaves whole batches only.
 */
export function createLoader(
  warehouse: Warehouse,
  runId: number,
  effects: Pick<Effects, 'now'>,
  batchRows = BATCH_ROWS,
): Loader {
  const counts: LoadCounts = { read: 0, inserted: 0, replaced: 0, vanished: 0, quarantined: 0 }
  let batch = emptyBatch()
  let begun = 0
  let storing: Promise<void> = Promise.resolve()

  async function store(full: Batch) {
    const written = await commitBatch(warehouse, full, { runId, seenAt: effects.now() })
    counts.read += full.rows
    counts.inserted += written.inserted
    counts.replaced += written.replaced
    counts.vanished += written.vanished
    counts.quarantined += written.quarantined
  }

  /** Puts the batch in line; a failed one fails every batch behind it, for nothing may be skipped. */
  function flush(): Promise<void> {
    const full = batch
    batch = emptyBatch()
    const before = storing
    storing = before.then(() => store(full))
    // The failure is told by whoever awaits next; here it must only not count as unheard.
    storing.catch(() => {})
    return before
  }

  return {
    counts,
    async add(delivery) {
      if (batch.rows === 0 && batch.deliveries.length === 0) begun = effects.now()
      batch.deliveries.push(delivery)
      batch.rows += delivery.rows.length + delivery.rejected.length
      if (batch.rows >= batchRows || effects.now() - begun >= BATCH_AGE_MS) await flush()
    },
    end(ending) {
      batch.endings.push(ending)
    },
    async drain() {
      flush()
      await storing
    },
  }
}
