import type { Int64 } from '../../contract/int64.ts'
import type { JsonWriter } from '../json-writer.ts'

/** What the filters of incident/list ask of one incident, as it stands now. */
export interface IncidentRow {
  channelId: Int64
  progress: string
  severity: string
  num: string
  snoozedBefore: number
  everMuted: boolean
  isRare: boolean
  /** 0 when created automatically. */
  creatorId: Int64
  /** 0 when open, or closed automatically. */
  closerId: Int64
  responders: readonly { readonly personId: Int64; readonly acknowledgedAt: number }[]
}

/**
 * The incidents of an account, in the order of the list: start_time, then incident_id. Indexes are stable; new
 * incidents appear at the end as the clock moves.
 */
export interface IncidentSet {
  /** Indexes below this have started. */
  count(): number
  startOf(index: number): number
  idOf(index: number): string
  /** False before the incident was created and after it was purged. */
  isListed(index: number): boolean
  /** Valid until the next call. */
  row(index: number): IncidentRow
  /** What a keyword is looked for in: title, description and label values, one a line. */
  textOf(index: number): string
  /** The record as the service sends it, in UTF-8. */
  writeJson(index: number, out: JsonWriter): void
  /** The same as a text. */
  json(index: number): string
  find(incidentId: string): number | undefined
}

/** The first index whose incident starts at `time` or later. */
export function lowerBound(set: IncidentSet, time: number): number {
  let low = 0
  let high = set.count()
  while (low < high) {
    const middle = (low + high) >>> 1
    if (set.startOf(middle) < time) low = middle + 1
    else high = middle
  }
  return low
}
