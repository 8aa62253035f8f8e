import type { Resource } from '../resources/resource.ts'
import type { RecordRow } from '../warehouse/stage.ts'
import type { Rejected } from './accept.ts'

/** One page after judging, with where its slice has got to by it. */
export interface Delivery {
  readonly resource: Resource
  /** Number of the slice in `sync_windows`. */
  readonly window: number
  readonly rows: readonly RecordRow[]
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
  /** Keys seen, when the whole span was read again: stored rows of the span that are not among them have vanished. */
  readonly reread: { readonly start: number; readonly end: number; readonly keys: ReadonlySet<string> } | null
}

/** What goes to the warehouse in one transaction. */
export interface Batch {
  readonly deliveries: Delivery[]
  readonly endings: Ending[]
  rows: number
}

/** A batch to fill. */
export function emptyBatch(): Batch {
  return { deliveries: [], endings: [], rows: 0 }
}
