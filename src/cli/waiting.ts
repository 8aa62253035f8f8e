import { createHash } from 'node:crypto'
import type { Cell } from '../warehouse/cell.ts'
import type { Reader } from '../warehouse/reader.ts'

/** A record in quarantine. */
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

const ID_LENGTH = 10

/** Every record that waits, the newest first. A file of an older program lacks some of the columns. */
export async function readWaiting(reader: Reader): Promise<Waiting[]> {
  const { columns, rows } = await reader.query('from quarantine')
  const records = rows.map((row) => {
    const record = Object.fromEntries(columns.map(({ name }, index) => [name, row[index]]))
    const { seen_at = null, first_seen_at, times_seen, ...rest } = record
    const told = { first_seen_at: first_seen_at ?? seen_at, seen_at, times_seen: times_seen ?? 1n }
    return { id: idOf(record), ...rest, ...told } as Waiting
  })
  const time = ({ first_seen_at: at }: Waiting) => (at instanceof Date ? at.getTime() : 0)
  return records.sort((a, b) => time(b) - time(a) || (a.id < b.id ? -1 : 1))
}

function idOf({ account_id, resource, payload }: Record<string, unknown>): string {
  const content = `${account_id ?? ''} ${resource} ${payload}`
  return createHash('sha256').update(content).digest('hex').slice(0, ID_LENGTH)
}
