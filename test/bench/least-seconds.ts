const PER_SECOND = 50
export const PER_MINUTE = 1_000

/**
 * The least that the service's limits allow for so many requests: a burst at 0, 1, … 19 s of each minute, and one way
 * there and back for the last.
 */
export function leastSeconds(requests: number, latencyMs: number): number {
  const minutes = Math.ceil(requests / PER_MINUTE) - 1
  const bursts = Math.ceil((requests - minutes * PER_MINUTE) / PER_SECOND)
  return minutes * 60 + bursts - 1 + latencyMs / 1_000
}

/**
 * The least for a client that is never to be refused. One that has sent nothing yet sends its second burst a second after the
 * answers of the first, one round trip later than the limits would allow: it cannot know when the first was counted.
 * @param before requests it has sent
 */
export function leastSafeSeconds(requests: number, latencyMs: number, before: number): number {
  const pays = requests > PER_SECOND && before === 0
  return leastSeconds(requests, latencyMs) + (pays ? latencyMs / 1_000 : 0)
}
