import type { Effects } from '../effects.ts'
import type { Reading } from '../warehouse/upsert.ts'
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
  /** Records that do not fit and were never seen before. */
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

export interface LoaderOptions {
  readonly batchRows?: number
  /** Told at once when a batch could not be stored: whoever waits for the service would learn of it late. */
  readonly onFailure?: (error: unknown) => void
}

/** Rows a batch holds at least before it is stored: large enough for DuckDB, small enough to lose or to hold twice. */
export const BATCH_ROWS = 10_000

/** A batch is stored when no page has come for so long: a killed run reads little again. */
const QUIET_MS = 100

/** While pages keep coming, it waits for so many such turns at most. */
const MOST_TURNS = 10

/**
 * The one writer. While a batch is stored, the next one fills; when that is full too, readers wait. A batch and
 * how far its slices have got by it are one transaction, so a killed run leaves whole batches only.
 * @throws from `add` and `drain`: WarehouseError when a batch could not be stored; nothing is stored after it
 */
export function createLoader(
  warehouse: Warehouse,
  run: Pick<Reading, 'runId' | 'accountId'>,
  effects: Pick<Effects, 'now' | 'sleep'>,
  { batchRows = BATCH_ROWS, onFailure }: LoaderOptions = {},
): Loader {
  const counts: LoadCounts = {
    read: 0,
    inserted: 0,
    replaced: 0,
    vanished: 0,
    quarantined: 0,
  }
  let batch = emptyBatch()
  let storing: Promise<void> | undefined
  let failure: unknown

  const isDue = () => batch.rows >= batchRows || batch.isOld
  const isEmpty = () => batch.pages.length === 0 && batch.endings.length === 0

  async function store(full: Batch) {
    try {
      const written = await commitBatch(warehouse, full, { ...run, seenAt: effects.now() })
      counts.read += full.rows
      counts.inserted += written.inserted
      counts.replaced += written.replaced
      counts.vanished += written.vanished
      counts.quarantined += written.quarantined
    } catch (error) {
      failure = writeError(`Storing ${contentsOf(full)}`, error)
      onFailure?.(failure)
    }
    storing = undefined
    if (failure === undefined && isDue()) beginStoring()
  }

  /** Has the batch stored once nothing is added to it any more, or it has waited long enough. */
  async function growOld(young: Batch) {
    for (let turn = 1, pages = 0; pages < young.pages.length && turn <= MOST_TURNS; turn++) {
      pages = young.pages.length
      await effects.sleep(QUIET_MS)
    }
    young.isOld = true
    if (young === batch && !storing && failure === undefined) beginStoring()
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
      addToBatch(batch, delivery)
      if (batch.pages.length === 1) void growOld(batch)
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

/** What a batch holds, for people: `120 rows of incidents`. */
function contentsOf({ rows, stages }: Batch): string {
  const tables = [...stages.keys()].map((resource) => resource.table)
  return tables.length === 0 ? 'bookmarks' : `${rows} ${rows === 1 ? 'row' : 'rows'} of ${tables.join(', ')}`
}
