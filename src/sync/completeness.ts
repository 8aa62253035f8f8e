import { TOTAL_EXACT_BELOW } from '../contract/assumptions.ts'
import type { Resource } from '../resources/resource.ts'
import { subtract, type Window } from './slice.ts'

/** What one reading of a slice came to, as far as it proves that nothing is missing. */
export interface ReadCounts {
  /** Distinct records that belong to the slice, those that do not fit included. */
  readonly distinct: number
  /** Records that do not: they start outside of the window, or were not asked for. */
  readonly astray: number
  /** Records of another account. */
  readonly foreign: number
  /** Stretches of the list that could not be read, which are in quarantine: they may hide any number of records. */
  readonly unreadable: number
  /** Answers that were an hour older than an earlier one. */
  readonly stale: number
  /** The number of records that the service said last; null where it says none, or the reading was resumed. */
  readonly total: number | null
  /** Whether it said another number on an earlier page. */
  readonly hasMoved: boolean
}

/** What the last reading of a slice came to. */
export interface Proof extends ReadCounts {
  /** Whether an answer was that of another request, too; told when all slices are read. */
  isRepeated: boolean
}

/** How many records are missing, too many, or of somewhere else; 0 proves the slice. */
export function unprovenRows({ read }: Resource, proof: ReadCounts): number {
  const { distinct, astray, foreign, unreadable, stale } = proof
  const total = exactTotal({ read }, proof) ?? distinct
  const short = unreadable > 0 && distinct < total ? 0 : Math.abs(total - distinct)
  // Numbered pages move when somebody leaves: the number is right, and somebody else is missing.
  const moved = read.kind === 'pages' && proof.hasMoved && short === 0 ? 1 : 0
  return short + moved + astray + foreign + stale
}

/** The total where it is exact: of windows below a limit, of numbered pages always; nothing else promises one. */
export function exactTotal({ read }: Pick<Resource, 'read'>, { total }: ReadCounts): number | null {
  if (read.kind === 'pages') return total
  return read.kind === 'windows' && total !== null && total < TOTAL_EXACT_BELOW ? total : null
}

/** What is not proven of one slice, for its row in `sync_windows`. */
export function unprovenMessage(proof: ReadCounts): string {
  const { distinct, total, astray, foreign, hasMoved, stale } = proof
  const parts = [
    ...(total === null || total === distinct ? [] : [`read ${distinct} records, the service says ${total}`]),
    ...(astray > 0 ? [`${astray} records do not belong to what was asked for`] : []),
    ...(foreign > 0 ? [`${foreign} records belong to another account`] : []),
    ...(stale > 0 ? [`${stale} answers are over an hour older than an earlier one`] : []),
  ]
  if (parts.length === 0 && hasMoved) return 'the number of records changed while they were read'
  return parts.join('; ')
}

/** A window that was accepted as unproven, or without having been read: by a person, or in a later run because of that. */
export interface Accepted {
  readonly runId: bigint
  /** Null for what has no windows. */
  readonly window: Window | null
  /** Records that were missing, too many or of somewhere else; null if the window could not be read. */
  readonly rows: number | null
}

/** Time goes on: so long after the last window that was accepted, the next one is like it. */
const LIKE_THE_LAST_S = 31 * 86_400

/** Whether no more is unproven of a slice than was accepted in one run of the same stretch of time, or of the last one before. */
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

/** Whether a person accepted before that all of a window could not be read. */
export function isAcceptedUnread(accepted: readonly Accepted[], window: Window): boolean {
  const unread = accepted.flatMap((one) => (one.rows === null && one.window ? [one.window] : []))
  return unread.length > 0 && subtract(window, unread).length === 0
}
