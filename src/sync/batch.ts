import type { Resource } from '../resources/resource.ts'
import type { Records } from '../warehouse/stage/page.ts'
import { createStage, type Stage } from '../warehouse/stage/stage.ts'
import type { Rejected } from './accept.ts'

/** One page after judging, with where its slice has got to by it. */
export interface Delivery {
  readonly resource: Resource
  /** Number of the slice in `sync_windows`. */
  readonly window: number
  readonly rows: Records
  readonly rejected: readonly Rejected[]
  readonly unknown: ReadonlySet<string>
  readonly requestId: string
  readonly cursor: string | null
  readonly total: number | null
  readonly checked: readonly string[]
  readonly missing: readonly string[]
}

/** A slice that ended: read to its end, or read but not proven complete. */
export interface Ending {
  readonly resource: Resource
  readonly window: number
  readonly state: 'done' | 'unproven'
  readonly message: string | null
  /**
   * Keys seen, when the whole span was read again, or all of these ids of it: stored rows of the span, or those ids, that
   * are not among them have vanished.
   */
  readonly reread: {
    readonly start: number
    readonly end: number
    readonly ids?: readonly string[] | null
    readonly keys: ReadonlySet<string>
  } | null
}

/** A page whose records have been staged: what is left to note about it. */
export type PageNote = Omit<Delivery, 'rows'> & { readonly rows: number }

/** What goes to the warehouse in one transaction. */
export interface Batch {
  readonly stages: Map<Resource, Stage>
  readonly pages: PageNote[]
  readonly endings: Ending[]
  /** Records in it, those that do not fit included. */
  rows: number
  /** Whether its first page has waited long enough. */
  isOld: boolean
}

/** A batch to fill. */
export function emptyBatch(): Batch {
  return { stages: new Map(), pages: [], endings: [], rows: 0, isOld: false }
}

/** Puts a page into the batch; its records are not held as objects from here on. */
export function addToBatch(batch: Batch, delivery: Delivery): void {
  const { resource, rows, rejected } = delivery
  const stage = batch.stages.get(resource) ?? createStage(resource)
  batch.stages.set(resource, stage)
  const before = stage.rows
  stage.add(rows)
  const added = stage.rows - before
  batch.pages.push({ ...delivery, rows: added })
  batch.rows += added + rejected.length
}
