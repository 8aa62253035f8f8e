import type { Effects } from '../effects.ts'
import { writeError } from '../warehouse/error-while.ts'
import { addToBatch, type Batch, emptyBatch, type SliceEnd, type ValidatedPage } from './batch.ts'

/** Rows a batch holds at least before it is stored: large enough for DuckDB, small enough to lose or to hold twice. */
export const BATCH_ROWS = 5_000

/**
 * Bytes of a batch at which it is stored, however few its rows are. DuckDB takes six times as many to make columns of it, and
 * one more page may have come in.
 */
const BATCH_BYTES = 20_000_000

/** A batch is stored when no page has come for so long: a killed run reads little again. */
const QUIET_MS = 100

/** While pages keep coming, it waits for so many such turns at most. */
const MOST_TURNS = 10

interface BatchWriter {
  /** Takes a page; resolves when there is room for the next one. @throws once a batch could not be stored */
  add(page: ValidatedPage): Promise<void>
  end(end: SliceEnd): void
  /** Stores what is left. @throws as `add` */
  drain(): Promise<void>
}

/**
 * Fills a batch while the one before is stored; when that is full too, readers wait. After a failure nothing is stored.
 * @param options.onFailure called at once when a batch could not be stored
 */
export function createBatchWriter(
  options: {
    readonly batchRows: number
    readonly sleep: Effects['sleep']
    readonly onFailure: ((error: unknown) => void) | undefined
  },
  store: (batch: Batch) => Promise<void>,
): BatchWriter {
  let batch = emptyBatch()
  /** Whether no page has come for a while, or the batch has waited long enough. */
  let isDue = false
  let storing: Promise<void> | undefined
  let failure: unknown

  const isFull = () => batch.rows >= options.batchRows || bytesOf(batch) >= BATCH_BYTES

  async function storeFull(full: Batch) {
    try {
      await store(full)
    } catch (error) {
      failure = writeError(`Storing ${contentsOf(full)}`, error)
      options.onFailure?.(failure)
    }
    storing = undefined
    if (failure === undefined && (isDue || isFull())) flush()
  }

  async function flushWhenQuiet(young: Batch) {
    for (let turn = 1, pages = 0; pages < young.pages.length && turn <= MOST_TURNS; turn++) {
      pages = young.pages.length
      await options.sleep(QUIET_MS)
    }
    if (young !== batch) return
    isDue = true
    if (!storing && failure === undefined) flush()
  }

  function flush() {
    const full = batch
    batch = emptyBatch()
    isDue = false
    storing = storeFull(full)
  }

  function throwFailure() {
    if (failure !== undefined) throw failure
  }

  return {
    async add(page) {
      while (storing && isFull()) await storing
      throwFailure()
      addToBatch(batch, page)
      if (batch.pages.length === 1) void flushWhenQuiet(batch)
      if ((isDue || isFull()) && !storing) flush()
    },
    end: (end) => void batch.ends.push(end),
    async drain() {
      while (storing || (failure === undefined && !isEmpty(batch))) {
        if (!storing) flush()
        await storing
      }
      throwFailure()
    },
  }
}

function isEmpty({ pages, ends }: Batch): boolean {
  return pages.length === 0 && ends.length === 0
}

function bytesOf({ stagings, rejectedBytes }: Batch): number {
  return [...stagings.values()].reduce((sum, { bytes }) => sum + bytes, rejectedBytes)
}

/** What a batch holds, for people: `120 rows of incidents`. */
function contentsOf({ rows, stagings }: Batch): string {
  const tables = [...stagings.keys()].map((resource) => resource.table)
  return tables.length === 0 ? 'bookmarks' : `${rows} ${rows === 1 ? 'row' : 'rows'} of ${tables.join(', ')}`
}
