/** How one attempt ended, with the facts that decide about a retry. */
export type Outcome =
  /** The service refused the request because of its rate limit, so it did not act. */
  | { kind: 'throttled'; retryAfterMs: number | undefined }
  /** The service, or a proxy in front of it, failed with 500, 504 or 524. The service might have acted. */
  | { kind: 'failed'; retryAfterMs: number | undefined }
  /** The request was sent, but no complete answer came (reset, timeout, truncated body). The service might have acted. */
  | { kind: 'lost' }
  /** The answer was complete, but unreadable or not from the service. The cause can be a proxy, or one odd record. */
  | { kind: 'garbled' }
  /** No byte of the request was sent, so the service cannot have acted. */
  | { kind: 'unreached' }
  /** Another attempt would have the same result. */
  | { kind: 'final' }

export type Decision =
  | { retry: true; waitMs: number }
  | { retry: false; why: 'final' | 'unsafe' | 'deadline' | 'timeouts' }

/** The bound of the first wait in milliseconds, and the limit up to which the bound doubles. */
const BACKOFF_FIRST_MS = 500
export const BACKOFF_MOST_MS = 20_000

/** Maximum number of unreadable answers to one call. */
const GARBLED_MOST = 3

/** Maximum number of timeouts of one call if its caller can request less. */
const TIMEOUTS_MOST = 2

/** A 429 means that at least the window of one second is full, so every wait after a 429 is at least that long. */
export const THROTTLED_LEAST_MS = 1_000

/**
 * Decides whether to retry, and when. A wait is a random time between 0 and a bound that doubles (full jitter,
 * https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/), and at least `Retry-After`. Does not retry
 * an operation that writes, unless the service certainly did not act.
 * @param attempt attempts made so far, from 1
 * @param garbled unreadable answers among them
 * @param timeouts timeouts among them, or 0 if the caller cannot request less
 * @param elapsedMs time since the first attempt was sent, without the earlier wait for our own limiter
 * @param random in [0, 1)
 */
export function decide(facts: {
  outcome: Outcome
  attempt: number
  garbled: number
  timeouts: number
  elapsedMs: number
  maxRetryMs: number
  writes: boolean
  random: number
}): Decision {
  const { outcome } = facts
  if (outcome.kind === 'final' || (outcome.kind === 'garbled' && facts.garbled >= GARBLED_MOST))
    return { retry: false, why: 'final' }
  if (facts.timeouts >= TIMEOUTS_MOST) return { retry: false, why: 'timeouts' }
  if (facts.writes && (outcome.kind === 'failed' || outcome.kind === 'lost' || outcome.kind === 'garbled'))
    return { retry: false, why: 'unsafe' }
  const waitMs = waitFor(outcome, facts.attempt, facts.random)
  if (facts.elapsedMs + waitMs > facts.maxRetryMs) return { retry: false, why: 'deadline' }
  return { retry: true, waitMs }
}

function waitFor(outcome: Outcome, attempt: number, random: number): number {
  const jittered = random * Math.min(BACKOFF_MOST_MS, BACKOFF_FIRST_MS * 2 ** (attempt - 1))
  const backoff = outcome.kind === 'throttled' ? THROTTLED_LEAST_MS + jittered : jittered
  const asked = 'retryAfterMs' in outcome ? (outcome.retryAfterMs ?? 0) : 0
  return Math.max(asked, backoff)
}

/** Parses a `Retry-After` header to milliseconds. `nowMs` is the service's clock (RFC 9110, 10.2.3). */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim()
  if (text === undefined) return undefined
  if (/^\d+$/.test(text)) return Number(text) * 1_000
  const at = parseHttpDate(text)
  return at === undefined ? undefined : Math.max(0, at - nowMs)
}

/** Parses an HTTP date in all its forms (RFC 9110, 5.6.7). Returns milliseconds since the epoch, or undefined. */
export function parseHttpDate(text: string): number | undefined {
  // Date.parse alone would accept almost anything.
  const day = /^[A-Za-z]{3,9},? \D*(\d+)/.exec(text)?.[1]
  // The third form states no time zone, but is in GMT as well.
  const at = Date.parse(/:\d\d \d{4}$/.test(text) ? `${text} GMT` : text)
  // Date.parse turns 30 February into 2 March.
  return day !== undefined && new Date(at).getUTCDate() === Number(day) ? at : undefined
}

/** A `Date` header outside of these years comes from a clock that was never set. */
const CLOCK_FROM_MS = Date.UTC(2000)
const CLOCK_TO_MS = Date.UTC(2100)

/** Returns the service's clock from a `Date` header, or null if the header is missing or implausible. */
export function parseServiceTime(header: string | undefined): number | null {
  const at = parseHttpDate(header?.trim() ?? '')
  return at !== undefined && at >= CLOCK_FROM_MS && at < CLOCK_TO_MS ? at : null
}
