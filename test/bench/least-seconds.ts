const PER_SECOND = 50
export const PER_MINUTE = 1_000

/**
 * Returns the fewest seconds that the rate limits allow for these requests: full bursts at 0, 1, … 19 s of each minute,
 * and one round trip at the end.
 */
export function leastSeconds(requests: number, latencyMs: number): number {
  const minutes = Math.ceil(requests / PER_MINUTE) - 1
  const bursts = Math.ceil((requests - minutes * PER_MINUTE) / PER_SECOND)
  return minutes * 60 + bursts - 1 + latencyMs / 1_000
}
