import { SAFE_LIST_WINDOW_S } from '../contract/assumptions.ts'

export type Reason =
  | 'backfill'
  | 'new'
  | 'lookback'
  | 'still-open'
  | 'vanished'
  | 'reopened'
  | 'sweep'
  | 'refresh'

/** A range of start times in Unix seconds. `end` is exclusive. */
export interface Window {
  readonly start: number
  readonly end: number
}

/** Seconds that a request adds at both ends of a window, because the service might exclude its bounds. */
const EDGE_S = 1

/** The longest window to plan. With the added seconds, it is as long as the service allows. */
export const LONGEST_S = SAFE_LIST_WINDOW_S - 2 * EDGE_S

/** Returns the window to request from the service. It is longer, because the service might exclude its bounds. */
export function askedWindow({ start, end }: Window): Window {
  return { start: Math.max(0, start - EDGE_S), end: end + EDGE_S }
}

/** Converts a date to Unix seconds, rounded down. */
export function secondsOf(date: Date): number {
  return Math.floor(date.getTime() / 1_000)
}

/** A window that was read to its end. Times are Unix seconds. */
export interface DoneWindow extends Window {
  /** The service's clock at the start of the run that read it. */
  readonly readAt: number
}

/** Maximum difference between the clocks of the service's machines. A time that is further ahead is wrong. */
export const CLOCK_TOLERANCE_S = 600

/** If an answer is this many seconds older than an earlier one, it came from a cache. */
export const STALE_S = 3_600

/** A part of a resource that is read and resumed separately. */
export interface Slice {
  readonly resource: string
  readonly reason: Reason
  /** The window of start times, for a resource that is read by windows. */
  readonly window: Window | null
  /** The requested ids, for a resource that is read by id. */
  readonly ids: readonly string[] | null
  /** Whether each id has a separate request. */
  readonly isAlone?: boolean
  /** Whether only open records are requested. */
  readonly onlyOpen?: boolean
  /** Cursor at which an interrupted run ended. */
  readonly cursor: string | null
  /** True if no record of the window is stored yet. No record can then be missing. */
  readonly isFirst?: boolean
  /** Number of requests that the slice takes, or an estimate. */
  readonly requests: number
}

/** The range of times that a run reads, and its options. All times are Unix seconds. */
export interface SyncScope {
  readonly now: number
  /** The oldest start time to read. */
  readonly since: number
  /** The latest start time, if the user limited it. */
  readonly until?: number
  /** Number of days before the last complete sync that every run reads again. */
  readonly lookbackDays: number
  /** Longest window to request. */
  readonly windowSeconds: number
  /** Whether windows that were read before are read again. */
  readonly full: boolean
  /** Whether to mark missing records regardless of how many there are. */
  readonly acceptVanished?: boolean
  /** Whether to accept incomplete windows, in this run and in later ones. */
  readonly acceptUnproven?: boolean
}

/** Returns windows in order of time, with touching and overlapping ones joined. */
export function union(windows: readonly Window[]): Window[] {
  const joined: Window[] = []
  for (const window of [...windows].sort((a, b) => a.start - b.start)) {
    const last = joined.at(-1)
    if (last && window.start <= last.end)
      joined[joined.length - 1] = { start: last.start, end: Math.max(last.end, window.end) }
    else joined.push(window)
  }
  return joined
}

/** Returns the parts of `window` outside of `parts`, in order of time. */
export function subtract(window: Window, parts: readonly Window[]): Window[] {
  const left: Window[] = []
  let from = window.start
  for (const part of union(parts)) {
    if (part.end <= from) continue
    if (part.start >= window.end) break
    if (part.start > from) left.push({ start: from, end: part.start })
    from = Math.max(from, part.end)
  }
  if (from < window.end) left.push({ start: from, end: window.end })
  return left
}

/**
 * Cuts a window into equal pieces of at most `maxSeconds`. Makes `atLeast` pieces, or fewer if they would be shorter
 * than `minSeconds`.
 */
export function cut(window: Window, limits: { maxSeconds: number; minSeconds: number; atLeast: number }) {
  const length = window.end - window.start
  if (length <= 0) return []
  const fewest = Math.ceil(length / limits.maxSeconds)
  const most = Math.max(1, Math.floor(length / limits.minSeconds))
  const count = Math.max(fewest, Math.min(limits.atLeast, most))
  const edge = (index: number) => window.start + Math.floor((length * index) / count)
  return Array.from({ length: count }, (_, index) => ({ start: edge(index), end: edge(index + 1) }))
}

const DAY_S = 86_400

/** Returns the windows to read again: the last `lookbackDays`, and times that were that recent when last read. */
export function unsettled(
  { now, since, until = now, lookbackDays }: SyncScope,
  looked: readonly DoneWindow[],
): Window[] {
  const days = lookbackDays * DAY_S
  const end = Math.min(until, now)
  const found: Window[] = [{ start: Math.max(since, end - days), end }]
  let left = clipped(union(looked), { start: since, end })
  for (const window of [...looked].sort((a, b) => b.readAt - a.readAt)) {
    if (left.length === 0) break
    const young = { start: Math.max(window.start, window.readAt - days), end: window.end }
    found.push(...clipped(left, young))
    left = left.flatMap((one) => subtract(one, [window]))
  }
  return union(found)
}

function clipped(windows: readonly Window[], { start, end }: Window): Window[] {
  return windows
    .map((one) => ({ start: Math.max(one.start, start), end: Math.min(one.end, end) }))
    .filter((one) => one.end > one.start)
}
