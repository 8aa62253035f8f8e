import type { Transaction } from 'kysely'
import type { Effects } from '../effects.ts'
import type { Resource } from '../resources/resource.ts'
import { writeError } from '../warehouse/database-errors.ts'
import { type BatchContext, upsert } from '../warehouse/load/upsert.ts'
import type { Database } from '../warehouse/schema/database.ts'
import type { Warehouse } from '../warehouse/warehouse.ts'
import { BATCH_ROWS, type Batch, createBatchWriter, type SliceEnd } from './batch.ts'
import { recordChecks, recordDrift, saveBookmarks } from './checkpoints.ts'
import { recordAccepted } from './ledger.ts'
import {
  type Comparison,
  detectOutage,
  findMissing,
  type MissingRecords,
  markVanished,
} from './missing-records.ts'
import { quarantine, releaseReadable, resolve } from './quarantine.ts'

export interface LoadCounts {
  read: number
  inserted: number
  replaced: number
  vanished: number
  /** Rejected records that no earlier run had seen. */
  quarantined: number
}

export type Loader = ReturnType<typeof createLoader>

/** Returns which of these keys the service still has, or null if that is unknown. */
type Search = (keys: readonly string[]) => Promise<ReadonlySet<string> | null>

interface LoaderOptions {
  readonly batchRows?: number
  readonly acceptVanished?: boolean
  /** Called when a batch could not be stored, so that the readers can stop. */
  readonly onFailure?: (error: unknown) => void
}

/** Creates the only writer of a run. The loader stores each batch and its checkpoints in one transaction. */
export function createLoader(
  warehouse: Warehouse,
  run: Pick<BatchContext, 'runId' | 'accountId'>,
  effects: Pick<Effects, 'now' | 'sleep'>,
  { batchRows = BATCH_ROWS, acceptVanished = false, onFailure }: LoaderOptions = {},
) {
  const counts: LoadCounts = { read: 0, inserted: 0, replaced: 0, vanished: 0, quarantined: 0 }
  const comparisons = new Map<Resource, Comparison[]>()
  const readNow = (): BatchContext => ({ ...run, seenAt: effects.now() })

  const writer = createBatchWriter({ batchRows, sleep: effects.sleep, onFailure }, async (batch) => {
    const { found, ...written } = await commitBatch(warehouse, batch, readNow())
    for (const [name, rows] of Object.entries(written)) counts[name as keyof LoadCounts] += rows
    for (const comparison of found) {
      const { resource } = comparison.end
      comparisons.set(resource, [...(comparisons.get(resource) ?? []), comparison])
    }
  })

  function inTransaction<Result>(
    what: string,
    act: (tx: Transaction<Database>, reading: BatchContext) => Promise<Result>,
  ): Promise<Result> {
    const reading = readNow()
    return warehouse.db
      .transaction()
      .execute((tx) => act(tx, reading))
      .catch((cause: unknown) => {
        throw writeError(what, cause)
      })
  }

  return {
    ...writer,
    counts,
    /** Marks records that the service did not return as missing, unless `search` finds them or an outage is likely. */
    async markVanished(resource: Resource, search: Search): Promise<MissingRecords> {
      const own = comparisons.get(resource) ?? []
      comparisons.delete(resource)
      const keys = own.flatMap(({ keys }) => keys)
      const outage = acceptVanished ? null : detectOutage(own)
      const found = outage || keys.length === 0 ? new Set<string>() : await search(keys)
      const marked = await inTransaction(`Marking missing records of ${resource.table}`, (tx, reading) =>
        markVanished(tx, resource, own, reading, { outage, found }),
      )
      counts.vanished += marked.vanished
      return marked
    },
    /** Marks windows that are already stored as unverified. Their records are then not marked as missing. */
    async doubt(ends: readonly SliceEnd[]): Promise<void> {
      if (ends.length === 0) return
      const doubted = new Set(ends.map(({ windowId }) => windowId))
      const isKept = ({ end }: Comparison) => !doubted.has(end.windowId)
      for (const [resource, own] of comparisons) comparisons.set(resource, own.filter(isKept))
      await inTransaction('Recording unverified windows', async (tx, reading) => {
        await saveBookmarks(tx, { pages: [], ends }, reading)
        await recordAccepted(tx, acceptedOf(ends), reading)
      })
    },
  }
}

function commitBatch(warehouse: Warehouse, batch: Batch, reading: BatchContext) {
  return warehouse.db.transaction().execute(async (tx) => {
    let inserted = 0
    let replaced = 0
    for (const staging of batch.stagings.values()) {
      const written = await upsert(tx, staging, reading)
      inserted += written.inserted
      replaced += written.replaced
      // An invalid copy of a record in this batch stays in quarantine, because it could be newer than the valid copy.
      await resolve(tx, staging, reading)
    }
    const quarantined = await quarantine(tx, batch.pages, reading)
    await recordDrift(tx, batch.pages, reading)
    await recordChecks(tx, batch.pages, reading)
    const found: Comparison[] = []
    for (const end of batch.ends) found.push(await findMissing(tx, end, reading))
    const ends = found.flatMap(({ end, missing }) => (missing === 0 ? [end] : []))
    await saveBookmarks(tx, { pages: batch.pages, ends }, reading)
    await recordAccepted(tx, acceptedOf(ends), reading)
    if (batch.ends.length > 0) await releaseReadable(tx, batch.ends, reading)
    return { read: batch.rows, inserted, replaced, quarantined, found }
  })
}

const acceptedOf = (ends: readonly SliceEnd[]) =>
  ends.flatMap(({ resource, accepted }) => (accepted ? [{ ...accepted, resource }] : []))
