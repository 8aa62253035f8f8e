import { TOTAL_EXACT_BELOW } from '../contract/assumptions.ts'
import type { Resource } from '../resources/resource.ts'
import { subtract, type Window } from './slice.ts'

/** Counts from one read of a slice, which show whether records might be missing. */
export interface ReadCounts {
  /** Distinct records that belong to the slice, including rejected ones. */
  readonly distinct: number
  /** Number of records that are outside of the window or not among the requested ids. */
  readonly astray: number
  readonly foreign: number
  /** Number of unreadable parts of the list, which are in quarantine. Each can hide any number of records. */
  readonly unreadable: number
  /** Number of answers that are at least an hour older than an earlier answer. */
  readonly stale: number
  /** The service's last total. Null if it sent none, or if this read resumed an earlier one. */
  readonly total: number | null
  /** Whether an earlier page had another total. */
  readonly hasMoved: boolean
}

/** Counts from the last read of a slice. */
export interface Proof extends ReadCounts {
  /** Whether another request got the same answer. Set after all slices were read. */
  isRepeated: boolean
}

/** Returns how many records are missing, surplus or out of place. 0 means that the slice is verified. */
export function unprovenRows({ read }: Resource, proof: ReadCounts): number {
  const { distinct, astray, foreign, unreadable, stale } = proof
  const total = exactTotal({ read }, proof) ?? distinct
  const short = unreadable > 0 && distinct < total ? 0 : Math.abs(total - distinct)
  // Numbered pages shift when a member leaves. The total can then match even though another record was skipped.
  const moved = read.kind === 'pages' && proof.hasMoved && short === 0 ? 1 : 0
  return short + moved + astray + foreign + stale
}

/**
 * Returns the total if it is exact, otherwise null. It is always exact for numbered pages, and for windows if it is below a
 * limit.
 */
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

/**
 * A window that was accepted as incomplete or unread. A person accepted it, or a later run that followed the person's
 * decision.
 */
export interface Accepted {
  readonly runId: bigint
  /** Null if the resource has no windows. */
  readonly window: Window | null
  /** Records that were missing, surplus or out of place, or null if the window could not be read. */
  readonly rows: number | null
}

/** An acceptance also applies to a window that starts within this time after the last accepted window. */
const LIKE_THE_LAST_S = 31 * 86_400

/** Whether a run accepted at least this many unverified records for this range of time, or for the last range before it. */
export function isAcceptedIncomplete(
  accepted: readonly Accepted[],
  window: Window | null,
  rows: number,
): boolean {
  const ofRun = new Map<bigint, number>()
  let last: { readonly window: Window | null; readonly rows: number } | undefined
  for (const { runId, window: own, rows: missing } of accepted) {
    if (missing === null) continue
    const one = { runId, window: own, rows: missing }
    const isSame = window === null || one.window === null ? window === one.window : meet(one.window, window)
    if (isSame) ofRun.set(one.runId, (ofRun.get(one.runId) ?? 0) + one.rows)
    if ((one.window?.end ?? 0) >= (last?.window?.end ?? 0)) last = one
  }
  if ([...ofRun.values()].some((sum) => sum >= rows)) return true
  if (!window || !last?.window || last.rows < rows) return false
  return window.end > last.window.end && window.start <= last.window.end + LIKE_THE_LAST_S
}

const meet = (one: Window, other: Window) => one.start < other.end && one.end > other.start

/** Whether a person accepted earlier that the entire window could not be read. */
export function isAcceptedUnread(accepted: readonly Accepted[], window: Window): boolean {
  const unread = accepted.flatMap((one) => (one.rows === null && one.window ? [one.window] : []))
  return unread.length > 0 && subtract(window, unread).length === 0
}
