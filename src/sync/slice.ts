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

/** Requests extend a window by this time at both ends, because the service might exclude its bounds. */
const EDGE_S = 1

/** Maximum length of a window: the service's limit, minus the seconds that a request adds at both ends. */
export const LONGEST_S = SAFE_LIST_WINDOW_S - 2 * EDGE_S

export function askedWindow({ start, end }: Window): Window {
  return { start: Math.max(0, start - EDGE_S), end: end + EDGE_S }
}

export function secondsOf(date: Date): number {
  return Math.floor(date.getTime() / 1_000)
}

export interface DoneWindow extends Window {
  /** Start of the run that read the window, by the service's clock, Unix seconds. */
  readonly readAt: number
}

/** Maximum difference between the clocks of the service's machines, in seconds. A time further ahead is wrong. */
export const CLOCK_TOLERANCE_S = 600

/** Seconds by which a response must be older than an earlier one to show that it came from a cache. */
export const STALE_S = 3_600

/** A part of a resource that is read and resumed separately. */
export interface Slice {
  readonly resource: string
  readonly reason: Reason
  /** Null if the resource is not read by windows. */
  readonly window: Window | null
  /** Null if records are not requested by id. */
  readonly ids: readonly string[] | null
  readonly isAlone?: boolean
  readonly onlyOpen?: boolean
  /** Position at which an interrupted run ended. */
  readonly cursor: string | null
  /** Whether no record of the window is stored yet, so that no record can be missing. */
  readonly isFirst?: boolean
  readonly requests: number
}

/** All times are Unix seconds. */
export interface SyncScope {
  readonly now: number
  readonly since: number
  /** End of the range to read, if the user set one. */
  readonly until?: number
  /** Every run reads this number of days before the last complete sync again. */
  readonly lookbackDays: number
  readonly windowSeconds: number
  /** Whether to read all windows again. */
  readonly full: boolean
  /** Whether to mark missing records even if suspiciously many are missing. */
  readonly acceptVanished?: boolean
  /** Whether to accept incomplete windows, now and in later runs. */
  readonly acceptUnproven?: boolean
}

/** Joins touching and overlapping windows, in order of time. */
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

/** Returns the parts of `window` that are outside of all `parts`. */
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

/** Cuts a window into `atLeast` equal pieces. Makes more if `maxSeconds` requires it, fewer if `minSeconds` does. */
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
