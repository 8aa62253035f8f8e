import type { Effects } from '../effects.ts'
import type { Resource } from '../resources/resource.ts'
import { writeError } from '../warehouse/database-errors.ts'
import type { RecordRow } from '../warehouse/load/record-row.ts'
import { createStaging, type Staging } from '../warehouse/load/staging.ts'
import type { Accepted } from './completeness.ts'
import type { Window } from './slice.ts'
import type { UnknownWord } from './undocumented-fields.ts'
import type { Rejected } from './validate-records.ts'
import type { WindowState } from './window-state.ts'

/** One page after validation, with the checkpoint of its slice after this page. */
export interface ValidatedPage {
  readonly resource: Resource
  /** Id of the slice in `sync_windows`. */
  readonly windowId: number
  readonly accepted: readonly RecordRow[]
  readonly rejected: readonly Rejected[]
  readonly unknown: ReadonlySet<string>
  readonly words: ReadonlyMap<string, UnknownWord>
  readonly requestId: string
  readonly cursor: string | null
  readonly total: number | null
  readonly checked: readonly string[]
  readonly missing: readonly string[]
  readonly denied: readonly string[]
}

/** A slice that was read to its end, verified or not. */
export interface SliceEnd {
  readonly resource: Resource
  readonly windowId: number
  readonly state: Exclude<WindowState, 'open'>
  readonly message: string | null
  /** The acceptance to record if the slice is unverified but accepted. */
  readonly accepted?: Omit<Accepted, 'runId'> | undefined
  /** The range that was completely read again. Null if this read cannot show that a record is missing. */
  readonly reread: Reread | null
  /**
   * The window, if all of it was requested. Null if the list has no windows. Undefined if only a part was requested.
   */
  readonly whole?: Window | null | undefined
}

/** A range that was read again. If the key of a stored record in this range is not in `keys`, the record is missing. */
interface Reread {
  readonly window: Window | null
  readonly ids: readonly string[] | null
  readonly keys: ReadonlySet<string>
}

/** A page whose records are staged. The rest is bookkeeping that must still be stored. */
export type StagedPage = Omit<ValidatedPage, 'accepted'> & { readonly rows: number }

/** Everything that one transaction writes to the warehouse. */
export interface Batch {
  readonly stagings: Map<Resource, Staging>
  readonly pages: StagedPage[]
  readonly ends: SliceEnd[]
  /** Number of records, including rejected ones. */
  rows: number
  rejectedBytes: number
}

function emptyBatch(): Batch {
  return { stagings: new Map(), pages: [], ends: [], rows: 0, rejectedBytes: 0 }
}

/** Adds a page to the batch. Its records are staged and no longer kept as objects. */
function addToBatch(batch: Batch, { accepted, ...page }: ValidatedPage): void {
  const { resource, rejected } = page
  const staging = batch.stagings.get(resource) ?? createStaging(resource)
  batch.stagings.set(resource, staging)
  staging.add(accepted)
  batch.pages.push({ ...page, rows: accepted.length })
  for (const { payload } of rejected) batch.rejectedBytes += payload.length
  batch.rows += accepted.length + rejected.length
}

/**
 * Number of rows at which a batch is stored. It is large enough to be efficient in DuckDB, and small enough that a
 * lost batch matters little and two batches fit into memory.
 */
export const BATCH_ROWS = 5_000

/**
 * Maximum bytes of a batch. DuckDB needs six times this memory to build columns, and the batch can exceed the limit by
 * one page.
 */
const BATCH_BYTES = 20_000_000

/**
 * If no new page comes within this time, the batch is stored. After a killed run, there is then little to read again.
 */
const QUIET_MS = 100

/** Maximum number of such waits. After that, the batch is stored even if pages keep arriving. */
const MOST_TURNS = 10

interface BatchWriter {
  /** Adds a page and resolves when there is room for the next one. @throws if a batch could not be stored */
  add(page: ValidatedPage): Promise<void>
  end(end: SliceEnd): void
  drain(): Promise<void>
}

/**
 * Fills a batch while the previous one is being stored. If both are full, readers wait. After a failure, nothing more is
 * stored.
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
  /** Whether no page has come for `QUIET_MS`, or the batch has waited long enough. */
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

function contentsOf({ rows, stagings }: Batch): string {
  const tables = [...stagings.keys()].map((resource) => resource.table)
  return tables.length === 0 ? 'bookmarks' : `${rows} ${rows === 1 ? 'row' : 'rows'} of ${tables.join(', ')}`
}
