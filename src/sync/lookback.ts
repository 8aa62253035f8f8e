import { type DoneWindow, type SyncScope, subtract } from './slice.ts'

const DAY_S = 86_400

/**
 * When the stretch begins that is read again because its records may still change, Unix seconds: `lookbackDays` before the
 * last moment at which all of these days were looked at. That is the last complete sync, which after a pause lies far back;
 * one of a shorter history (`--since 7d`) or of old windows only is none.
 * @param looked every window that was read to its end, proven or not
 */
export function lookbackStart(
  { now, since, until = now, lookbackDays }: SyncScope,
  looked: readonly DoneWindow[],
): number {
  const days = lookbackDays * DAY_S
  const moments = [...new Set(looked.map(({ readAt }) => readAt))].sort((a, b) => b - a)
  const isComplete = (moment: number) => {
    const last = { start: Math.max(since, moment - days), end: moment }
    const after = looked.filter(({ readAt }) => readAt >= moment)
    return subtract(last, after).length === 0
  }
  // Without any, nothing is known to have been looked at since the first of them.
  return Math.min(until, now, moments.find(isComplete) ?? moments.at(-1) ?? now) - days
}
