import { TOTAL_EXACT_BELOW } from '../contract/assumptions.ts'
import type { Resource } from '../resources/resource.ts'
import { subtract, type Window } from './slice.ts'

/** Counts from one read, which show whether records might be missing. */
export interface ReadCounts {
  /** Distinct requested records, including rejected ones. */
  readonly distinct: number
  /** Records that start outside of the window, or are not among the requested ids. */
  readonly astray: number
  /** Records of other accounts. */
  readonly foreign: number
  /** Parts of the list that could not be read. Each can contain any number of records. */
  readonly unreadable: number
  /** Responses that are over an hour older than an earlier response. */
  readonly stale: number
  /** The last total that the service sent. Null if it sent none, or if this read resumed an earlier one. */
  readonly total: number | null
  readonly hasMoved: boolean
}

export interface Proof extends ReadCounts {
  /** Whether another request got the same response. This is known only after all slices were read. */
  isRepeated: boolean
}

/** Returns how many records are missing, surplus or out of place. 0 means that the read is verified. */
export function unprovenRows({ read }: Resource, proof: ReadCounts): number {
  const { distinct, astray, foreign, unreadable, stale } = proof
  const total = exactTotal({ read }, proof) ?? distinct
  const short = unreadable > 0 && distinct < total ? 0 : Math.abs(total - distinct)
  // If a member leaves, later members move to an earlier page. One can be skipped although the total matches.
  const moved = read.kind === 'pages' && proof.hasMoved && short === 0 ? 1 : 0
  return short + moved + astray + foreign + stale
}

/** Returns the service's total, or null if it is not exact. The total of a window is exact only below a limit. */
export function exactTotal({ read }: Pick<Resource, 'read'>, { total }: ReadCounts): number | null {
  if (read.kind === 'pages') return total
  return read.kind === 'windows' && total !== null && total < TOTAL_EXACT_BELOW ? total : null
}

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

/** A window that a person accepted as incomplete or unread. */
export interface Accepted {
  readonly runId: bigint
  /** Null if the resource has no windows. */
  readonly window: Window | null
  /** Number of missing, surplus or unrequested records. Null if the window could not be read. */
  readonly rows: number | null
}

/** An acceptance also covers windows that start up to this many seconds after the accepted window. */
const LIKE_THE_LAST_S = 31 * 86_400

/** Whether one run accepted at least `rows` unverified records in this window, or in the last accepted window. */
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

/** Whether a person accepted earlier that no part of this window could be read. */
export function isAcceptedUnread(accepted: readonly Accepted[], window: Window): boolean {
  const unread = accepted.flatMap((one) => (one.rows === null && one.window ? [one.window] : []))
  return unread.length > 0 && subtract(window, unread).length === 0
}
