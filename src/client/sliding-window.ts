/** At most `requests` in every sliding window of `windowMs` milliseconds. */
export interface Limit {
  readonly requests: number
  readonly windowMs: number
}

/**
 * The earliest time at which one more request may start.
 * @param counted latest time at which each past request was counted, milliseconds, oldest first
 * @param underWay requests started and not yet known to be counted; each fills every window
 * @returns -Infinity: at once; Infinity: only after one of those under way has ended
 */
export function nextStart(counted: readonly number[], underWay: number, limits: readonly Limit[]): number {
  let start = Number.NEGATIVE_INFINITY
  for (const { requests, windowMs } of limits) {
    const room = requests - 1 - underWay
    if (room < 0) return Number.POSITIVE_INFINITY
    const mustBeOver = counted[counted.length - room - 1]
    if (mustBeOver !== undefined) start = Math.max(start, mustBeOver + windowMs)
  }
  return start
}

/** The share of each limit, at least one request. */
export function shareOf(limits: readonly Limit[], share: number): Limit[] {
  // 0.57 × 100 is a hair below 57 in binary.
  return limits.map((limit) => ({
    ...limit,
    requests: Math.max(1, Math.floor(limit.requests * share + 1e-9)),
  }))
}
