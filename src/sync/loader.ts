import type { Effects } from '../effects.ts'
import { FaultlineError } from '../errors.ts'
import type { Warehouse } from '../warehouse/warehouse.ts'
import { writeError } from '../warehouse/write-error.ts'
import { addToBatch, type Batch, type Delivery, type Ending, emptyBatch } from './batch.ts'
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

/** A batch is stored at the latest so long after its first page: a killed run reads little again. */
const BATCH_AGE_MS = 200

/**
 * The one writer. While a batch is stored, the next one fills; when that is full too, readers wait. A batch and
 * how far its slices have got by it are one transaction, so a killed run leaves whole batches only.
 * @throws from `add` and `drain`: WarehouseError when a batch could not be stored; nothing is stored after it
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
  let storing: Promise<void> | undefined
  let failure: unknown

  const isDue = () =>
    batch.rows >= batchRows || (batch.pages.length > 0 && effects.now() - begun >= BATCH_AGE_MS)
  const isEmpty = () => batch.pages.length === 0 && batch.endings.length === 0

  async function store(full: Batch) {
    try {
      const written = await commitBatch(warehouse, full, { runId, seenAt: effects.now() })
      counts.read += full.rows
      counts.inserted += written.inserted
      counts.replaced += written.replaced
      counts.vanished += written.vanished
      counts.quarantined += written.quarantined
    } catch (error) {
      failure = error instanceof FaultlineError ? error : writeError('Storing a batch', error)
    }
    storing = undefined
    if (failure === undefined && isDue()) beginStoring()
  }

  function beginStoring() {
    const full = batch
    batch = emptyBatch()
    storing = store(full)
  }

  function throwFailure() {
    if (failure !== undefined) throw failure
  }

  return {
    counts,
    async add(delivery) {
      while (storing && batch.rows >= batchRows) await storing
      throwFailure()
      if (batch.pages.length === 0) begun = effects.now()
      addToBatch(batch, delivery)
      if (isDue() && !storing) beginStoring()
    },
    end(ending) {
      batch.endings.push(ending)
    },
    async drain() {
      while (storing || (failure === undefined && !isEmpty())) {
        if (!storing) beginStoring()
        await storing
      }
      throwFailure()
    },
  }
}
