import { RATE_LIMITS } from '../contract/limits.ts'
import type { Progress } from '../sync/progress.ts'

/** One line on where a sync stands: windows, rows, requests a second against the quota, and time left. */
export function progressLine(progress: Progress, quota: number): string {
  const { account, resource, slicesDone, slicesPlanned, rows, requests, throttled, seconds } = progress
  // Bursts are spent at a second's beginning: by started seconds, the rate is never shown above what was kept.
  const rate = requests / Math.max(1, Math.ceil(seconds))
  const parts = [
    `${account === undefined ? '' : `${account}, `}${resource}: ${slicesDone} of ${slicesPlanned} windows`,
    `${rows.toLocaleString('en')} rows`,
    `${rate.toFixed(1)} of ${Math.floor(RATE_LIMITS[0].requests * quota)} requests/s`,
  ]
  if (throttled > 0) parts.push(`${throttled} × 429`)
  const left = secondsLeft(progress)
  if (left !== null) parts.push(`about ${left} s left`)
  return parts.join(' · ')
}

/** A guess from the windows done so far; null while there is too little to guess from. */
export function secondsLeft({ slicesDone, slicesPlanned, seconds }: Progress): number | null {
  if (slicesDone === 0 || seconds < 1) return null
  return Math.ceil((seconds / slicesDone) * (slicesPlanned - slicesDone))
}
