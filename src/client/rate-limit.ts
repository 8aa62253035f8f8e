/** At most `requests` in every sliding window of `windowMs` milliseconds. */
export interface RateLimit {
  readonly requests: number
  readonly windowMs: number
}

/** The share of each limit, at least one request. */
export function shareOf(limits: readonly RateLimit[], share: number): RateLimit[] {
  // 0.57 × 100 is a hair below 57 in binary.
  return limits.map((limit) => ({
    ...limit,
    requests: Math.max(1, Math.floor(limit.requests * share + 1e-9)),
  }))
}
