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

/**
 * A stretch of time in Unix seconds, `start` included, `end` not. It is what is planned, proven and recorded; what the
 * service is asked for is `askedWindow` of it.
 */
export interface Window {
  readonly start: number
  readonly end: number
}

/** Whether the ends of a window belong to it is not documented: so many more seconds are asked for on both sides. */
const EDGE_S = 1

/** The longest window that is planned: with its edges it is still a legal one. */
export const LONGEST_S = SAFE_LIST_WINDOW_S - 2 * EDGE_S

/** The window to ask the service for: all of `window` lies in it, however the service takes its ends. */
export function askedWindow({ start, end }: Window): Window {
  return { start: Math.max(0, start - EDGE_S), end: end + EDGE_S }
}

/** A window that was read to its end. Times are Unix seconds. */
export interface DoneWindow extends Window {
  /** The service's clock when the run began that read it. */
  readonly readAt: number
}

/** Machines of one service may disagree by so much: what is further ahead of its clock is wrong. */
export const CLOCK_TOLERANCE_S = 600

/** An answer this much older than an earlier one was kept by a cache, seconds. */
export const STALE_S = 3_600

/** One piece of reading, small enough to be done or resumed on its own. */
export interface Slice {
  /** The resource's table. */
  readonly resource: string
  readonly reason: Reason
  /** The window of start times, for a resource that is read by windows. */
  readonly window: Window | null
  /** The ids asked for, when it is read by id. */
  readonly ids: readonly string[] | null
  /** Whether each id is asked for in a request of its own. */
  readonly isAlone?: boolean
  /** Whether only records are asked for that are open now. */
  readonly onlyOpen?: boolean
  /** Where an interrupted run had got to. */
  readonly cursor: string | null
  /** Whether nothing of the window is stored yet, so that nothing in it can have vanished. */
  readonly isFirst?: boolean
  /** How many requests it will take; a guess where nothing is known. */
  readonly requests: number
}

/** What a run is about, the same for all its parts. All times are Unix seconds. */
export interface SyncScope {
  /** The service's clock. */
  readonly now: number
  /** The oldest start time wanted. */
  readonly since: number
  /** The newest, when the user asked for less than up to now. */
  readonly until?: number
  /** Days before the last complete sync that are read again every run. */
  readonly lookbackDays: number
  /** Longest window to ask for; never above the contract's. */
  readonly windowSeconds: number
  /** Read everything again, whatever was read before. */
  readonly full: boolean
  /** Believe that records are gone, however many at once. */
  readonly acceptVanished?: boolean
  /** Take what is not proven complete as it is, now and in later runs. */
  readonly acceptUnproven?: boolean
}

/** Windows in order of time, with those that touch or overlap made one. */
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

/** What is left of `window` without `parts`, in order of time. */
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
 * Cuts a window into pieces of equal length, none longer than `maxSeconds`, and into `atLeast` pieces where they do
 * not get shorter than `minSeconds` by it. Neighbours share their boundary second.
 */
export function cut(
  window: Window,
  limits: { maxSeconds: number; minSeconds: number; atLeast: number },
): Window[] {
  const length = window.end - window.start
  if (length <= 0) return []
  const fewest = Math.ceil(length / limits.maxSeconds)
  const most = Math.max(1, Math.floor(length / limits.minSeconds))
  const count = Math.max(fewest, Math.min(limits.atLeast, most))
  const edge = (index: number) => window.start + Math.floor((length * index) / count)
  return Array.from({ length: count }, (_, index) => ({ start: edge(index), end: edge(index + 1) }))
}

const DAY_S = 86_400

/**
 * What is read again because its records may still change, in order of time, Unix seconds: the last `lookbackDays`, and
 * every moment that was last looked at before it was as old as that. After a night these are the days before the last sync;
 * after a pause they lie far back, and stay until a run has looked at them, however many broke off before.
 * @param looked every window that was read to its end, proven or not
 */
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

/** The parts of windows that lie within another. */
function clipped(windows: readonly Window[], { start, end }: Window): Window[] {
  return windows
    .map((one) => ({ start: Math.max(one.start, start), end: Math.min(one.end, end) }))
    .filter((one) => one.end > one.start)
}
