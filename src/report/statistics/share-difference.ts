import { wilson } from './wilson.ts'

/** `successes` out of `n`. */
export interface Share {
  successes: number
  n: number
}

/**
 * The 95 % interval of the difference of two shares, now minus before: Newcombe (1998), Interval estimation for the
 * difference between independent proportions, Stat. Med. 17, 873–890, method 10. Null when either has no n.
 */
export function shareDifference(now: Share, before: Share): [number, number] | null {
  const a = wilson(now.successes, now.n)
  const b = wilson(before.successes, before.n)
  if (!a || !b) return null
  const p = now.successes / now.n
  const q = before.successes / before.n
  return [p - q - Math.hypot(p - a[0], b[1] - q), p - q + Math.hypot(a[1] - p, q - b[0])]
}
