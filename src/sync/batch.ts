import type { Resource } from '../resources/resource.ts'
import type { RecordRow } from '../warehouse/load/record-row.ts'
import { createStaging, type Staging } from '../warehouse/load/staging.ts'
import type { Accepted } from './proof.ts'
import type { Window } from './slice.ts'
import type { Rejected } from './validate-records.ts'
import type { UnknownWord } from './words.ts'

/** One page after validation, with the bookmark of its slice behind it. */
export interface ValidatedPage {
  readonly resource: Resource
  /** Number of the slice in `sync_windows`. */
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
}

/** A slice that ended: read to its end, or read but not proven complete. */
export interface SliceEnd {
  readonly resource: Resource
  readonly windowId: number
  readonly state: 'done' | 'accepted' | 'unproven'
  readonly message: string | null
  /** What is accepted of it although it is not proven, to be remembered. */
  readonly accepted?: Omit<Accepted, 'runId'> | undefined
  /** What was read again completely; null when nothing can be told to be missing. */
  readonly reread: Reread | null
}

/**
 * What was read again: everything, a window of start times, some ids, or some ids in a window. Stored records of it whose keys
 * are not among `keys` are missing.
 */
interface Reread {
  readonly window: Window | null
  readonly ids: readonly string[] | null
  readonly keys: ReadonlySet<string>
}

/** A page whose records are staged: what is left to write down about it. */
export type StagedPage = Omit<ValidatedPage, 'accepted'> & { readonly rows: number }

/** What goes to the warehouse in one transaction. */
export interface Batch {
  readonly stagings: Map<Resource, Staging>
  readonly pages: StagedPage[]
  readonly ends: SliceEnd[]
  /** Records in it, those that do not fit included. */
  rows: number
  /** Size of those that do not fit. */
  rejectedBytes: number
}

export function emptyBatch(): Batch {
  return { stagings: new Map(), pages: [], ends: [], rows: 0, rejectedBytes: 0 }
}

/** Puts a page into the batch; its records are not held as objects from here on. */
export function addToBatch(batch: Batch, { accepted, ...page }: ValidatedPage): void {
  const { resource, rejected } = page
  const staging = batch.stagings.get(resource) ?? createStaging(resource)
  batch.stagings.set(resource, staging)
  staging.add(accepted)
  batch.pages.push({ ...page, rows: accepted.length })
  for (const { payload } of rejected) batch.rejectedBytes += payload.length
  batch.rows += accepted.length + rejected.length
}
