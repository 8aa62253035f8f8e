import { RATE_LIMITS } from '../contract/limits.ts'

const LEAST = 8
const MOST = 32

/** The most requests in a millisecond that any limit lets through. */
const RATE = Math.max(...RATE_LIMITS.map(({ requests, windowMs }) => requests / windowMs))

/**
 * Default number of windows of an account to read side by side. The pages of a window come one after another, so it takes
 * one for each request of a round trip to use the limits; twice as many, since the last ones run out unevenly.
 * @param roundTripMs between asking the service and its answer, milliseconds
 */
export function windowsAtOnce(roundTripMs: number): number {
  return Math.min(MOST, Math.max(LEAST, Math.ceil(2 * RATE * roundTripMs)))
}
