import { type DoneWindow, type SyncScope, subtract, union, type Window } from './slice.ts'

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
