import { RATE_LIMITS } from '../contract/limits.ts'

const LEAST = 8
const MOST = 32

/** The most requests in a millisecond that any limit lets through. */
const RATE = Math.max(...RATE_LIMITS.map(({ requests, windowMs }) => requests / windowMs))

/**
 * How many windows to read side by side, where nobody says. The pages of a window come one after another, so it takes as
 * many windows as requests may be sent in a round trip to use the limits; and twice as many, because those that are left
 * at the end are fewer.
 * @param roundTripMs between asking the service and its answer, milliseconds
 */
export function windowsAtOnce(roundTripMs: number): number {
  return Math.min(MOST, Math.max(LEAST, Math.ceil(2 * RATE * roundTripMs)))
}
