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

/** Every record that waits, the newest first. */
export async function readWaiting(reader: Reader): Promise<Waiting[]> {
  const { columns, rows } = await reader.query(`
    select account_id, resource, operation, path, reason, coalesce(first_seen_at, seen_at) as first_seen_at,
           seen_at, coalesce(times_seen, 1) as times_seen, run_id, request_id, record_key, payload
    from quarantine order by first_seen_at desc, resource, payload`)
  return rows.map((row) => {
    const record = Object.fromEntries(columns.map(({ name }, index) => [name, row[index]]))
    return { id: idOf(record), ...record } as Waiting
  })
}

function idOf({ account_id, resource, payload }: Record<string, unknown>): string {
  const content = `${account_id} ${resource} ${payload}`
  return createHash('sha256').update(content).digest('hex').slice(0, ID_LENGTH)
}
