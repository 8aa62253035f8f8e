/** How an attempt failed, with the facts that decide whether to retry. */
export type Outcome =
  /** The service refused the request because of its rate limit, so it did not act. */
  | { kind: 'throttled'; retryAfterMs: number | undefined }
  /** The service, or a proxy in front of it, failed with a status such as 500 or 504. The service might have acted. */
  | { kind: 'failed'; retryAfterMs: number | undefined }
  /** The request was sent, but no complete response came, for example after a timeout. The service might have acted. */
  | { kind: 'lost' }
  /** The response was complete, but unreadable or not from the service. The cause can be a proxy or one bad record. */
  | { kind: 'garbled' }
  /** No byte of the request was sent, so the service cannot have acted. */
  | { kind: 'unreached' }
  /** Another attempt would have the same result. */
  | { kind: 'final' }

export type Decision =
  | { retry: true; waitMs: number }
  | { retry: false; why: 'final' | 'unsafe' | 'deadline' | 'timeouts' }

/** Upper bound of the first wait, in milliseconds. The bound doubles with each attempt, up to `BACKOFF_MOST_MS`. */
const BACKOFF_FIRST_MS = 500
export const BACKOFF_MOST_MS = 20_000

/** Maximum number of unreadable responses to one call. */
const GARBLED_MOST = 3

/** Maximum number of timeouts of one call, if the caller can retry with a smaller request. */
const TIMEOUTS_MOST = 2

/** Minimum wait after a 429, in milliseconds: the length of the shorter rate-limit window, which might be full. */
export const THROTTLED_LEAST_MS = 1_000

/**
 * Decides whether to retry, and when. The wait is random below a doubling bound, but at least `Retry-After` (full
 * jitter, https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/). A write is retried only if the
 * service certainly did not act.
 * @param timeouts number of timeouts so far, or 0 if the caller cannot retry with a smaller request
 * @param elapsedMs time since the first attempt was sent, without the earlier wait for the local rate limiter
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

/** Converts a `Retry-After` header to milliseconds. `nowMs` is the time on the service's clock (RFC 9110, 10.2.3). */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim()
  if (text === undefined) return undefined
  if (/^\d+$/.test(text)) return Number(text) * 1_000
  const at = parseHttpDate(text)
  return at === undefined ? undefined : Math.max(0, at - nowMs)
}

/** Parses an HTTP date in any of its three forms (RFC 9110, 5.6.7). Returns Unix milliseconds, or undefined. */
export function parseHttpDate(text: string): number | undefined {
  // Date.parse alone would accept almost anything.
  const day = /^[A-Za-z]{3,9},? \D*(\d+)/.exec(text)?.[1]
  // The third form (asctime) has no time zone, but means GMT.
  const at = Date.parse(/:\d\d \d{4}$/.test(text) ? `${text} GMT` : text)
  // Rejects dates such as 30 February, which Date.parse turns into 2 March.
  return day !== undefined && new Date(at).getUTCDate() === Number(day) ? at : undefined
}

/** A `Date` header outside of these years comes from a clock that was never set. */
const CLOCK_FROM_MS = Date.UTC(2000)
const CLOCK_TO_MS = Date.UTC(2100)

/** Returns the service's time from a `Date` header, in milliseconds. Null if the header is missing or implausible. */
export function parseServiceTime(header: string | undefined): number | null {
  const at = parseHttpDate(header?.trim() ?? '')
  return at !== undefined && at >= CLOCK_FROM_MS && at < CLOCK_TO_MS ? at : null
}
