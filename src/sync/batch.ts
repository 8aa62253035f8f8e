import type { Effects } from '../effects.ts'
import type { Resource } from '../resources/resource.ts'
import { writeError } from '../warehouse/database-errors.ts'
import { createStaging, type Staging } from '../warehouse/load/staging.ts'
import type { Accepted } from './completeness.ts'
import type { CheckedIds, Page } from './page.ts'
import type { Window } from './slice.ts'
import type { Validated } from './validate-records.ts'
import type { WindowState } from './window-state.ts'

/** One page after validation, with the cursor at which reading of its slice continues. */
export interface ValidatedPage
  extends Omit<Validated, 'keys'>,
    Pick<Page, 'requestId' | 'cursor' | 'total'>,
    CheckedIds {
  readonly resource: Resource
  /** Id of the slice in `sync_windows`. */
  readonly windowId: number
}

/** A slice that was read to its end, verified or not. */
export interface SliceEnd {
  readonly resource: Resource
  readonly windowId: number
  readonly state: Exclude<WindowState, 'open'>
  readonly message: string | null
  /** The acceptance to record, if the slice is unverified but accepted. */
  readonly accepted?: Omit<Accepted, 'runId'> | undefined
  /**
   * The range that was read, and the keys of the records in it. Any other record stored in this range is missing. Null
   * if this read cannot show which records are missing.
   */
  readonly reread: {
    readonly window: Window | null
    readonly ids: readonly string[] | null
    readonly keys: ReadonlySet<string>
  } | null
  /** The window. Null if the resource has no windows. Undefined if only some records of the window were requested. */
  readonly whole?: Window | null | undefined
}

/** A page whose accepted records were moved to the stagings of the batch. `rows` is the number of these records. */
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

/** Adds a page to the batch. Its records become lines of JSON, which need less memory than objects. */
function addToBatch(batch: Batch, { accepted, ...page }: ValidatedPage): void {
  const { resource, rejected } = page
  const staging = batch.stagings.get(resource) ?? createStaging(resource)
  batch.stagings.set(resource, staging)
  staging.add(accepted)
  batch.pages.push({ ...page, rows: accepted.length })
  for (const { payload } of rejected) batch.rejectedBytes += payload.length
  batch.rows += accepted.length + rejected.length
}

/** A batch is stored when it has this number of rows. Two batches of this size fit into memory. */
export const BATCH_ROWS = 5_000

/** A batch is stored when it has this number of bytes. DuckDB needs six times this memory to build columns. */
const BATCH_BYTES = 20_000_000

/** A batch is stored if no new page comes within this time, so that a killed run has little to read again. */
const QUIET_MS = 100

/** Maximum number of waits of `QUIET_MS`. After that, the batch is stored even if pages keep arriving. */
const MOST_TURNS = 10

/** Fills a batch while the previous one is being stored. If both are full, readers wait. Stops after a failure. */
export function createBatchWriter(
  options: {
    readonly batchRows: number
    readonly sleep: Effects['sleep']
    readonly onFailure: ((error: unknown) => void) | undefined
  },
  store: (batch: Batch) => Promise<void>,
) {
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

  const throwFailure = () => {
    if (failure !== undefined) throw failure
  }
  return {
    /** Adds a page and resolves when there is room for the next one. @throws if a batch could not be stored */
    async add(page: ValidatedPage): Promise<void> {
      while (storing && isFull()) await storing
      throwFailure()
      addToBatch(batch, page)
      if (batch.pages.length === 1) void flushWhenQuiet(batch)
      if ((isDue || isFull()) && !storing) flush()
    },
    end: (end: SliceEnd) => void batch.ends.push(end),
    /** Resolves when everything is stored. @throws if a batch could not be stored */
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
