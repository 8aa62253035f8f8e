const PER_SECOND = 50
export const PER_MINUTE = 1_000

/**
 * The least time in which the service's limits allow this number of requests, with a burst at 0, 1, … 19 s of each minute,
 * and one round trip for the last request.
 */
export function leastSeconds(requests: number, latencyMs: number): number {
  const minutes = Math.ceil(requests / PER_MINUTE) - 1
  const bursts = Math.ceil((requests - minutes * PER_MINUTE) / PER_SECOND)
  return minutes * 60 + bursts - 1 + latencyMs / 1_000
}
