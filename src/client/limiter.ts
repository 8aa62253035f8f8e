import { setMaxListeners } from 'node:events'
import Bottleneck from 'bottleneck'
import type { Effects } from '../effects.ts'

/** At most `requests` in every sliding window of `windowMs` milliseconds. */
export interface RateLimit {
  readonly requests: number
  readonly windowMs: number
}

/** Returns a share of each limit, at least one request. */
export function shareOf(limits: readonly RateLimit[], share: number): RateLimit[] {
  // 0.57 × 100 is slightly below 57 in binary.
  return limits.map((limit) => ({
    ...limit,
    requests: Math.max(1, Math.floor(limit.requests * share + 1e-9)),
  }))
}

/** A permit to send one request. Release it exactly once. */
interface Permit {
  /** @param isAnswered false if no answer came. The request may then still arrive */
  release(isAnswered: boolean): void
}

interface Asking {
  readonly signal?: AbortSignal | undefined
  /** Is admitted before all new requests, because it has waited before. */
  readonly isRetry?: boolean
}

/** Issues permits, first come, first served. */
export interface Limiter {
  /** Waits for a permit. @throws the signal's reason as soon as it is aborted */
  acquire(asking?: Asking): Promise<Permit>
  /** Issues no permits for this time. Pauses do not add up, so the latest end applies. */
  pause(ms: number): void
  /** Stops issuing permits. Callers must abort their waiting requests through the signals. */
  close(): void
}

/** A request without an answer may arrive up to this long after it was abandoned, milliseconds. */
const LATE_ARRIVAL_MS = 1_000

/** Issues permits from one queue, retries first, and none during a pause. */
export function createLimiter(
  limits: readonly RateLimit[],
  effects: Pick<Effects, 'elapsed' | 'sleep'>,
): Limiter {
  const reservoirs = createReservoirs(limits)
  const queue = createQueue()
  const closing = new AbortController()
  // All requests in progress may wait for the end of a pause.
  setMaxListeners(0, closing.signal)
  let pausedUntil = Number.NEGATIVE_INFINITY
  const pauseMs = () => pausedUntil - effects.elapsed()

  /**
   * Called when one more request may be sent. Only then chooses the request. Retries come first, and aborted requests are
   * skipped.
   */
  async function admit() {
    try {
      while (pauseMs() > 0) await effects.sleep(pauseMs(), closing.signal)
    } catch (error) {
      queue.first()?.reject(error)
      return
    }
    const first = queue.first()
    if (first === undefined) reservoirs.putBack()
    else first.grant({ release: (isAnswered) => reservoirs.putBack(isAnswered ? 0 : LATE_ARRIVAL_MS) })
  }

  return {
    async acquire(asking = {}) {
      asking.signal?.throwIfAborted()
      const permit = queue.join(asking)
      reservoirs.take(admit)
      return permit
    },
    pause(ms) {
      pausedUntil = Math.max(pausedUntil, effects.elapsed() + ms)
    },
    close() {
      closing.abort()
      queue.close()
      reservoirs.close()
    },
  }
}

interface Waiting {
  grant(permit: Permit): void
  reject(error: unknown): void
}

function createQueue() {
  const waiting: Waiting[] = []
  /** Pending tokens do not keep the process alive. This timer does, while a request waits for a token. */
  const hold = setInterval(() => undefined, 60_000).unref()
  return {
    first: (): Waiting | undefined => waiting[0],
    join({ signal, isRetry = false }: Asking): Promise<Permit> {
      return new Promise((resolve, reject) => {
        const leave = () => {
          signal?.removeEventListener('abort', stop)
          waiting.splice(waiting.indexOf(one), 1)
          if (waiting.length === 0) hold.unref()
        }
        const one: Waiting = {
          grant(permit) {
            leave()
            resolve(permit)
          },
          reject(error) {
            leave()
            reject(error)
          },
        }
        const stop = () => one.reject(signal?.reason)
        signal?.addEventListener('abort', stop)
        if (isRetry) waiting.unshift(one)
        else waiting.push(one)
        hold.ref()
      })
    },
    close: () => clearInterval(hold),
  }
}

/**
 * Added to a window, because the timer may be 1 ms early, the service's clock may tick, and its window may include both ends.
 */
const GUARD_MS = 3
/** Largest drift of our clock against the service's. adjtimex(2) allows 500 parts per million. */
const DRIFT = 0.0005

interface Reservoirs {
  /** Calls `act` when each reservoir has issued a token, or at once if there are no limits. Keeps the order of calls. */
  take(act: () => Promise<void>): void
  /** Returns a token to each reservoir after its window plus `lateMs`, or at once if `lateMs` is undefined. */
  putBack(lateMs?: number): void
  close(): void
}

/**
 * Keeps every limit in every sliding window that the service may measure, and still allows full bursts. A token returns one
 * window after the answer, because the service counted the request no later than that
 * (src/decisions/001-bottleneck-limits-the-rate.md).
 */
function createReservoirs(limits: readonly RateLimit[]): Reservoirs {
  const reservoirs = limits.map(({ requests, windowMs }) => ({
    bottleneck: new Bottleneck({ reservoir: requests }),
    backAfterMs: Math.ceil(windowMs * (1 + DRIFT)) + GUARD_MS,
  }))
  for (const [index, { bottleneck }] of reservoirs.slice(1).entries())
    reservoirs[index]!.bottleneck.chain(bottleneck)
  const returning = new Set<NodeJS.Timeout>()
  let isClosed = false
  return {
    take(act) {
      if (reservoirs[0] === undefined) void act()
      else void reservoirs[0].bottleneck.schedule(act)
    },
    putBack(lateMs) {
      if (isClosed) return
      for (const { bottleneck, backAfterMs } of reservoirs) {
        const timer = setTimeout(
          () => {
            returning.delete(timer)
            bottleneck.incrementReservoir(1)
          },
          lateMs === undefined ? 0 : backAfterMs + lateMs,
        )
        returning.add(timer.unref())
      }
    },
    close() {
      isClosed = true
      for (const timer of returning) clearTimeout(timer)
    },
  }
}
