import { RATE_LIMITS } from '../../contract/limits.ts'
import type { Effects } from '../../effects.ts'
import type { Progress } from '../../sync/run-sync.ts'
import type { Console } from '../console.ts'

export function progressLine(progress: Progress, quota: number): string {
  const { resource, slicesDone, slicesPlanned, rows, requests, throttled, seconds } = progress
  // Requests come in bursts at the start of a second. Rounding up the seconds keeps the shown rate within the quota.
  const rate = requests / Math.max(1, Math.ceil(seconds))
  const parts = [
    `${slicesDone} of ${slicesPlanned} windows`,
    `${rows.toLocaleString('en')} rows`,
    `now ${resource}`,
    `${rate.toFixed(1)} of ${Math.floor(RATE_LIMITS[0].requests * quota)} requests/s`,
  ]
  if (throttled > 0) parts.push(`${throttled} × 429`)
  const left = secondsLeft(progress)
  if (left !== null) parts.push(`about ${left} s left`)
  return parts.join(' · ')
}

/** Estimates the remaining seconds from the windows that are done. Null if there are none yet. */
export function secondsLeft({ slicesDone, slicesPlanned, seconds }: Progress): number | null {
  if (slicesDone === 0 || seconds < 1) return null
  return Math.ceil((seconds / slicesDone) * (slicesPlanned - slicesDone))
}

/** Shows progress as one rewritten line on a terminal, otherwise as JSON lines. `note` always gets the line. */
export function progressTo(
  console: Console,
  quota: number,
  { now }: Pick<Effects, 'now'>,
  note: (line: string) => void = () => {},
) {
  const accounts = new Map<string, Progress>()
  const toldAt = new Map<string, number>()
  return (progress: Progress) => {
    const account = progress.account ?? ''
    accounts.set(account, progress)
    const line = lineOf([...accounts.values()], quota)
    note(line)
    if (console.isTerminal) return console.progress(line)
    if (now() - (toldAt.get(account) ?? 0) < 2_000) return
    toldAt.set(account, now())
    console.note(JSON.stringify({ event: 'progress', ...progress }))
  }
}

/** Formats the progress of all accounts: the sums of their counts, and the longest time left. */
function lineOf(all: readonly Progress[], quota: number): string {
  const [only] = all
  if (only && all.length === 1) return progressLine(only, quota)
  const sum = (of: (one: Progress) => number) => all.reduce((total, one) => total + of(one), 0)
  const left = Math.max(...all.map((one) => secondsLeft(one) ?? 0))
  return [
    `${all.length} accounts: ${sum((one) => one.slicesDone)} of ${sum((one) => one.slicesPlanned)} windows`,
    `${sum((one) => one.rows).toLocaleString('en')} rows`,
    `${sum((one) => one.requests).toLocaleString('en')} requests`,
    ...(left > 0 ? [`about ${left} s left`] : []),
  ].join(' · ')
}
