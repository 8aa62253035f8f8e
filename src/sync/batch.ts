import type { Effects } from '../effects.ts'
import type { Resource } from '../resources/resource.ts'
import { writeError } from '../warehouse/database-errors.ts'
import { createStaging, type Staging } from '../warehouse/load/staging.ts'
import type { Accepted } from './completeness.ts'
import type { CheckedIds, Page } from './page.ts'
import type { Window } from './slice.ts'
import type { Validated } from './validate-records.ts'
import type { WindowState } from './window-state.ts'

export interface ValidatedPage
  extends Omit<Validated, 'keys'>,
    Pick<Page, 'requestId' | 'cursor' | 'total'>,
    CheckedIds {
  readonly resource: Resource
  /** Id of the row in `sync_windows` to which this page belongs. */
  readonly windowId: number
}

/** A slice (one window, or some ids) that was read to its end, verified or not. */
export interface SliceEnd {
  readonly resource: Resource
  readonly windowId: number
  readonly state: Exclude<WindowState, 'open'>
  readonly message: string | null
  /** Set if the slice is unverified, but a person accepted that. */
  readonly accepted?: Omit<Accepted, 'runId'> | undefined
  /** Stored records in this range whose keys are not in `keys` are missing. Null if this read cannot show that. */
  readonly reread: {
    readonly window: Window | null
    readonly ids: readonly string[] | null
    readonly keys: ReadonlySet<string>
  } | null
  /**
   * The window, if all its records were requested. Null if the resource has no windows, and undefined if only some
   * records were requested.
   */
  readonly whole?: Window | null | undefined
}

/** A page whose accepted records were moved to `Batch.stagings`. `rows` is the number of these records. */
export type StagedPage = Omit<ValidatedPage, 'accepted'> & { readonly rows: number }

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

/** Adds a page to the batch. Converts its records to lines of JSON, which need less memory than objects. */
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
 * A batch is stored when it has this number of rows. Memory must hold two batches: one being filled, and one being
 * stored.
 */
export const BATCH_ROWS = 5_000

/** A batch is stored when it has this number of bytes. DuckDB needs six times as much memory to build columns. */
const BATCH_BYTES = 20_000_000

/** If no new page arrives for this time, a batch is stored early, so that a killed run loses little. */
const QUIET_MS = 100

/** Maximum number of waits of `QUIET_MS`, so that a batch is stored even if pages keep arriving. */
const MOST_TURNS = 10

/** Fills a batch while the previous one is being stored. If both are full, readers wait. */
export function createBatchWriter(
  options: {
    readonly batchRows: number
    readonly sleep: Effects['sleep']
    readonly onFailure: ((error: unknown) => void) | undefined
  },
  store: (batch: Batch) => Promise<void>,
) {
  let batch = emptyBatch()
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

  const throwFailure = () => {
    if (failure !== undefined) throw failure
  }
  return {
    /** Adds a page as soon as there is room for it. @throws if a batch could not be stored */
    async add(page: ValidatedPage): Promise<void> {
      while (storing && isFull()) await storing
      throwFailure()
      addToBatch(batch, page)
      if (batch.pages.length === 1) void flushWhenQuiet(batch)
      if ((isDue || isFull()) && !storing) flush()
    },
    end: (end: SliceEnd) => void batch.ends.push(end),
    async drain(): Promise<void> {
      while (storing || (failure === undefined && batch.pages.length + batch.ends.length > 0)) {
        if (!storing) flush()
        await storing
      }
      throwFailure()
    },
  }
}

function bytesOf({ stagings, rejectedBytes }: Batch): number {
  return [...stagings.values()].reduce((sum, { bytes }) => sum + bytes, rejectedBytes)
}

function contentsOf({ rows, stagings }: Batch): string {
  const tables = [...stagings.keys()].map((resource) => resource.table)
  return tables.length === 0 ? 'bookmarks' : `${rows} ${rows === 1 ? 'row' : 'rows'} of ${tables.join(', ')}`
}
