import type { Cell } from '../../warehouse/read/cell.ts'
import type { Reader } from '../../warehouse/read/reader.ts'
import { objectsOf } from '../../warehouse/read/rows-to-objects.ts'

/** A quarantined record, as a row of the view `waiting`. */
export interface QuarantinedRecord {
  /** Id for use on the command line. It never changes, and is the same in every copy of the warehouse. */
  readonly id: string
  readonly account_id: Cell
  readonly resource: string
  readonly operation: string
  readonly path: string
  readonly reason: string
  readonly first_seen_at: Cell
  readonly seen_at: Cell
  readonly times_seen: Cell
  readonly run_id: Cell
  readonly request_id: Cell
  readonly record_key: Cell
  readonly payload: string
}

export interface QuarantineFilter {
  /** Prefix of the id. Empty matches all. */
  readonly id: string
  readonly limit: number
}

export interface QuarantinePage {
  readonly records: readonly QuarantinedRecord[]
  /** Total number, including records beyond the limit. */
  readonly total: number
}

/** Returns the newest quarantined records, except those of the excluded accounts. */
export async function readWaiting(
  reader: Reader,
  { id, limit }: QuarantineFilter,
  without: readonly bigint[] = [],
): Promise<QuarantinePage> {
  // Older versions did not store the account.
  const isOther = 'not coalesce(list_contains($without, account_id::varchar), false)'
  const from = `from waiting where starts_with(id, $id) and ${isOther}`
  const parameters = { id, without: without.map(String) }
  const { rows } = await reader.query(`select count(*)::int ${from}`, parameters)
  const newest = `${from} order by first_seen_at desc nulls last, id limit ${limit}`
  const records = objectsOf(await reader.query(newest, parameters)) as unknown as QuarantinedRecord[]
  return { records, total: Number(rows[0]![0]) }
}

export function mergePages(all: readonly QuarantinePage[], { limit }: QuarantineFilter): QuarantinePage {
  const time = ({ first_seen_at: at }: QuarantinedRecord) => (at instanceof Date ? at.getTime() : 0)
  const records = all
    .flatMap((one) => one.records)
    .sort((a, b) => time(b) - time(a) || (a.id < b.id ? -1 : 1))
    .slice(0, limit)
  return { records, total: all.reduce((sum, { total }) => sum + total, 0) }
}
