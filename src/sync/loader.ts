import type { Transaction } from 'kysely'
import type { Effects } from '../effects.ts'
import type { Resource } from '../resources/resource.ts'
import { writeError } from '../warehouse/error-while.ts'
import { type Reading, upsert } from '../warehouse/load/upsert.ts'
import type { Database } from '../warehouse/schema/database.ts'
import type { Warehouse } from '../warehouse/warehouse.ts'
import { addToBatch, type Batch, emptyBatch, type SliceEnd, type ValidatedPage } from './batch.ts'
import { recordChecks, recordDrift, saveBookmarks } from './bookmarks.ts'
import { recordAccepted } from './ledger.ts'
import { quarantine, resolve } from './quarantine.ts'
import { findMissing, type Look, outageIn, type Settled, settleMissing } from './vanished.ts'

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
  add(page: ValidatedPage): Promise<void>
  end(end: SliceEnd): void
  /** Stores what is left. */
  drain(): Promise<void>
  /**
   * Says of a resource, all of whose slices ended, that what they did not bring any more has vanished, unless it is too much
   * at once, or `search` finds it: given keys, it stores what the service has of them and returns those, or null when it
   * cannot tell.
   */
  settle(resource: Resource, search: Search): Promise<Settled>
  /** Takes back that slices are proven, which ended and are stored: nothing of them is taken for vanished. */
  doubt(ends: readonly SliceEnd[]): Promise<void>
}

type Search = (keys: readonly string[]) => Promise<ReadonlySet<string> | null>

interface LoaderOptions {
  readonly batchRows?: number
  /** Believe that records are gone, however many at once. */
  readonly acceptVanished?: boolean
  /** Called at once when a batch could not be stored, since readers may be waiting for the service. */
  readonly onFailure?: (error: unknown) => void
}

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

/**
 * The one writer. While a batch is stored, the next one fills; when that is full too, readers wait. A batch and the
 * bookmarks of its slices are one transaction, so a killed run leaves complete batches only.
 * @throws from `add` and `drain`: WarehouseError when a batch could not be stored; nothing is stored after it
 */
export function createLoader(
  warehouse: Warehouse,
  run: Pick<Reading, 'runId' | 'accountId'>,
  effects: Pick<Effects, 'now' | 'sleep'>,
  { batchRows = BATCH_ROWS, acceptVanished = false, onFailure }: LoaderOptions = {},
): Loader {
  const counts: LoadCounts = { read: 0, inserted: 0, replaced: 0, vanished: 0, quarantined: 0 }
  let batch = emptyBatch()
  /** Whether no page has come for a while, or the batch has waited long enough. */
  let isDue = false
  let storing: Promise<void> | undefined
  let failure: unknown
  const looks = new Map<Resource, Look[]>()

  const isFull = () => batch.rows >= batchRows || bytesOf(batch) >= BATCH_BYTES
  const isEmpty = () => batch.pages.length === 0 && batch.ends.length === 0

  async function store(full: Batch) {
    try {
      const { found, ...written } = await commitBatch(warehouse, full, { ...run, seenAt: effects.now() })
      for (const [name, rows] of Object.entries(written)) counts[name as keyof LoadCounts] += rows
      for (const look of found) {
        const { resource } = look.end
        looks.set(resource, [...(looks.get(resource) ?? []), look])
      }
    } catch (error) {
      failure = writeError(`Storing ${contentsOf(full)}`, error)
      onFailure?.(failure)
    }
    storing = undefined
    if (failure === undefined && (isDue || isFull())) flush()
  }

  async function flushWhenQuiet(young: Batch) {
    for (let turn = 1, pages = 0; pages < young.pages.length && turn <= MOST_TURNS; turn++) {
      pages = young.pages.length
      await effects.sleep(QUIET_MS)
    }
    if (young !== batch) return
    isDue = true
    if (!storing && failure === undefined) flush()
  }

  function flush() {
    const full = batch
    batch = emptyBatch()
    isDue = false
    storing = store(full)
  }

  function inTransaction<Result>(
    what: string,
    act: (tx: Transaction<Database>, reading: Reading) => Promise<Result>,
  ): Promise<Result> {
    const reading = { ...run, seenAt: effects.now() }
    return warehouse.db
      .transaction()
      .execute((tx) => act(tx, reading))
      .catch((cause: unknown) => {
        throw writeError(what, cause)
      })
  }

  function throwFailure() {
    if (failure !== undefined) throw failure
  }

  return {
    counts,
    async add(page) {
      while (storing && isFull()) await storing
      throwFailure()
      addToBatch(batch, page)
      if (batch.pages.length === 1) void flushWhenQuiet(batch)
      if ((isDue || isFull()) && !storing) flush()
    },
    end(end) {
      batch.ends.push(end)
    },
    async drain() {
      while (storing || (failure === undefined && !isEmpty())) {
        if (!storing) flush()
        await storing
      }
      throwFailure()
    },
    async settle(resource, search) {
      const own = looks.get(resource) ?? []
      looks.delete(resource)
      const keys = own.flatMap((look) => look.keys)
      const outage = acceptVanished ? null : outageIn(own)
      const found = outage || keys.length === 0 ? new Set<string>() : await search(keys)
      const settled = await inTransaction(`Marking what vanished of ${resource.table}`, (tx, reading) =>
        settleMissing(tx, resource, own, reading, { outage, found }),
      )
      counts.vanished += settled.vanished
      return settled
    },
    async doubt(ends) {
      if (ends.length === 0) return
      const doubted = new Set(ends.map(({ windowId }) => windowId))
      for (const [resource, own] of looks)
        looks.set(
          resource,
          own.filter(({ end }) => !doubted.has(end.windowId)),
        )
      await inTransaction('Recording windows that are not proven', async (tx, reading) => {
        await saveBookmarks(tx, { pages: [], ends }, reading)
        await recordAccepted(tx, ends, reading)
      })
    },
  }
}

function bytesOf({ stagings, rejectedBytes }: Batch): number {
  return [...stagings.values()].reduce((sum, { bytes }) => sum + bytes, rejectedBytes)
}

/** What a batch holds, for people: `120 rows of incidents`. */
function contentsOf({ rows, stagings }: Batch): string {
  const tables = [...stagings.keys()].map((resource) => resource.table)
  return tables.length === 0 ? 'bookmarks' : `${rows} ${rows === 1 ? 'row' : 'rows'} of ${tables.join(', ')}`
}

/** Stores a batch and the bookmarks of its slices in one transaction. Slices that miss records wait to be settled. */
function commitBatch(
  warehouse: Warehouse,
  batch: Batch,
  reading: Reading,
): Promise<Omit<LoadCounts, 'vanished'> & { found: Look[] }> {
  return warehouse.db.transaction().execute(async (tx) => {
    let inserted = 0
    let replaced = 0
    for (const staging of batch.stagings.values()) {
      const written = await upsert(tx, staging, reading)
      inserted += written.inserted
      replaced += written.replaced
      // Before this batch's own are added: of a good and a bad copy read together, it is not known which is the newer.
      await resolve(tx, staging, reading)
    }
    const quarantined = await quarantine(tx, batch.pages, reading)
    await recordDrift(tx, batch.pages, reading)
    await recordChecks(tx, batch.pages, reading)
    const found: Look[] = []
    for (const end of batch.ends) found.push(await findMissing(tx, end, reading))
    const ends = found.flatMap(({ end, missing }) => (missing === 0 ? [end] : []))
    await saveBookmarks(tx, { pages: batch.pages, ends }, reading)
    await recordAccepted(tx, ends, reading)
    return { read: batch.rows, inserted, replaced, quarantined, found }
  })
}
