import { TOTAL_EXACT_BELOW } from '../contract/assumptions.ts'
import type { Resource } from '../resources/resource.ts'
import { subtract, type Window } from './slice.ts'

/** Counts from one read of a slice. They show whether records might be missing. */
export interface ReadCounts {
  /** Distinct records that belong to the slice, including rejected ones. */
  readonly distinct: number
  /** Number of records that are outside of the window or not among the requested ids. */
  readonly astray: number
  /** Number of records of other accounts. */
  readonly foreign: number
  /** Number of unreadable parts of the list. Each can contain any number of records. */
  readonly unreadable: number
  /** Number of answers that are at least an hour older than an earlier answer. */
  readonly stale: number
  /** The last total that the service sent. Null if it sent none, or if this read resumed an earlier one. */
  readonly total: number | null
  /** Whether an earlier page had another total. */
  readonly hasMoved: boolean
}

/** Counts from the last read of a slice. */
export interface Proof extends ReadCounts {
  /** Whether another request got the same answer. This is known only after all slices were read. */
  isRepeated: boolean
}

/** Returns how many records are missing, surplus or out of place. 0 means that the slice is verified. */
export function unprovenRows({ read }: Resource, proof: ReadCounts): number {
  const { distinct, astray, foreign, unreadable, stale } = proof
  const total = exactTotal({ read }, proof) ?? distinct
  const short = unreadable > 0 && distinct < total ? 0 : Math.abs(total - distinct)
  // If a member leaves, later members move to an earlier page. The total can then match although a member was skipped.
  const moved = read.kind === 'pages' && proof.hasMoved && short === 0 ? 1 : 0
  return short + moved + astray + foreign + stale
}

/** Returns the total, or null if it is not exact. The total of a window is exact only below a limit. */
export function exactTotal({ read }: Pick<Resource, 'read'>, { total }: ReadCounts): number | null {
  if (read.kind === 'pages') return total
  return read.kind === 'windows' && total !== null && total < TOTAL_EXACT_BELOW ? total : null
}

/** Describes why a slice is unverified, for its row in `sync_windows`. */
export function unprovenMessage(proof: ReadCounts): string {
  const { distinct, total, astray, foreign, hasMoved, stale } = proof
  const parts = [
    ...(total === null || total === distinct
      ? []
      : [`read ${distinct} records, but the total of the service is ${total}`]),
    ...(astray > 0 ? [`${astray} records were not requested`] : []),
    ...(foreign > 0 ? [`${foreign} records belong to another account`] : []),
    ...(stale > 0 ? [`${stale} answers are over an hour older than an earlier one`] : []),
  ]
  if (parts.length === 0 && hasMoved) return 'the number of records changed while they were read'
  return parts.join('; ')
}

/** A window that a person accepted as incomplete or unread, in this run or an earlier one. */
export interface Accepted {
  readonly runId: bigint
  /** Null if the resource has no windows. */
  readonly window: Window | null
  /** Records that were missing, surplus or out of place, or null if the window could not be read. */
  readonly rows: number | null
}

/** An acceptance also applies to a window that starts within this time after the last accepted window. */
const LIKE_THE_LAST_S = 31 * 86_400

/** Whether a run accepted at least `rows` unverified records in this window, or in the last accepted one before it. */
export function isAcceptedIncomplete(accepted: readonly Accepted[], window: Window | null, rows: number) {
  const ofRun = new Map<bigint, number>()
  let last = { end: 0, rows: 0 }
  for (const { runId, window: own, rows: missing } of accepted) {
    if (missing === null) continue
    const isSame = window === null || own === null ? window === own : meet(own, window)
    if (isSame) ofRun.set(runId, (ofRun.get(runId) ?? 0) + missing)
    if (own && own.end >= last.end) last = { end: own.end, rows: missing }
  }
  if ([...ofRun.values()].some((sum) => sum >= rows)) return true
  if (!window || last.end === 0 || last.rows < rows) return false
  return window.end > last.end && window.start <= last.end + LIKE_THE_LAST_S
}

const meet = (one: Window, other: Window) => one.start < other.end && one.end > other.start

/** Whether a person accepted earlier that this entire window could not be read. */
export function isAcceptedUnread(accepted: readonly Accepted[], window: Window): boolean {
  const unread = accepted.flatMap((one) => (one.rows === null && one.window ? [one.window] : []))
  return unread.length > 0 && subtract(window, unread).length === 0
}
