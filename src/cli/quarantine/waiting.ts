import type { Cell } from '../../warehouse/read/cell.ts'
import { objectsOf } from '../../warehouse/read/objects-of.ts'
import type { Reader } from '../../warehouse/read/reader.ts'

/** A row of the view `waiting`: a record in quarantine. */
export interface Waiting {
  /** What it is called on the command line: the same in every copy of the warehouse, and on every day. */
  readonly id: string
  readonly account_id: Cell
  readonly resource: string
  readonly operation: string
  /** Dotted path of the first thing wrong. */
  readonly path: string
  readonly reason: string
  readonly first_seen_at: Cell
  readonly seen_at: Cell
  readonly times_seen: Cell
  readonly run_id: Cell
  readonly request_id: Cell
  readonly record_key: Cell
  /** The record as it came, as JSON. */
  readonly payload: string
}

/** Every record that waits, the newest first. */
export async function readWaiting(reader: Reader): Promise<Waiting[]> {
  const rows = await reader.query('from waiting order by first_seen_at desc nulls last, id')
  return objectsOf(rows) as unknown as Waiting[]
}

export function newestFirst(records: readonly Waiting[]): Waiting[] {
  const time = ({ first_seen_at: at }: Waiting) => (at instanceof Date ? at.getTime() : 0)
  return [...records].sort((a, b) => time(b) - time(a) || (a.id < b.id ? -1 : 1))
}
