import { setMaxListeners } from 'node:events'
import Bottleneck from 'bottleneck'
import type { Effects } from '../effects.ts'

/** Allows at most `requests` requests in every sliding window of `windowMs` milliseconds. */
export interface RateLimit {
  readonly requests: number
  readonly windowMs: number
}

/** Reduces each limit to a share of its requests, but to no less than one request. */
export function shareOf(limits: readonly RateLimit[], share: number): RateLimit[] {
  // Adds 1e-9, because 0.57 × 100 is slightly below 57 in binary.
  return limits.map((limit) => ({
    ...limit,
    requests: Math.max(1, Math.floor(limit.requests * share + 1e-9)),
  }))
}

/** A permit to send one request. Release it exactly once. */
interface Permit {
  /** @param isAnswered whether a response arrived. If not, the service might still receive the request */
  release(isAnswered: boolean): void
}

interface Asking {
  readonly signal?: AbortSignal | undefined
  /** Whether this is a retry. Retries get permits before new requests, because they have already waited. */
  readonly isRetry?: boolean
}

export type Limiter = ReturnType<typeof createLimiter>

/** A request without a response can still reach the service up to this many milliseconds after it was abandoned. */
const LATE_ARRIVAL_MS = 1_000

export function createLimiter(limits: readonly RateLimit[], effects: Pick<Effects, 'elapsed' | 'sleep'>) {
  const reservoirs = createReservoirs(limits)
  const queue = createQueue()
  const closing = new AbortController()
  // Many requests can wait for the end of a pause at the same time, and each wait adds a listener.
  setMaxListeners(0, closing.signal)
  let pausedUntil = Number.NEGATIVE_INFINITY
  const pauseMs = () => pausedUntil - effects.elapsed()

  /** Chooses the next request only when a token is free, because a retry might have moved to the front. */
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
    /** Waits for a permit. @throws the signal's reason as soon as the signal aborts */
    async acquire(asking: Asking = {}): Promise<Permit> {
      asking.signal?.throwIfAborted()
      const permit = queue.join(asking)
      reservoirs.take(admit)
      return permit
    },
    /** Issues no permits for `ms` milliseconds. If pauses overlap, the latest end applies. */
    pause(ms: number): void {
      pausedUntil = Math.max(pausedUntil, effects.elapsed() + ms)
    },
    /** Stops issuing permits. Requests that are still waiting end only when their signals abort. */
    close(): void {
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
  /** Keeps the process alive while a request waits, because the timers that return tokens do not. */
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

/** Safety margin of each window in ms, for early timers, the clock's resolution and a window that includes its end. */
const GUARD_MS = 3
/** Maximum drift between the local clock and the service's clock. adjtimex(2) allows 500 parts per million. */
const DRIFT = 0.0005

/** Allows bursts. A token returns one window after the response (src/decisions/001-bottleneck-limits-the-rate.md). */
function createReservoirs(limits: readonly RateLimit[]) {
  const reservoirs = limits.map(({ requests, windowMs }) => ({
    bottleneck: new Bottleneck({ reservoir: requests }),
    backAfterMs: Math.ceil(windowMs * (1 + DRIFT)) + GUARD_MS,
  }))
  for (const [index, { bottleneck }] of reservoirs.slice(1).entries())
    reservoirs[index]!.bottleneck.chain(bottleneck)
  const returning = new Set<NodeJS.Timeout>()
  let isClosed = false
  return {
    /** Calls `act` when every reservoir has issued a token, or at once without limits. Keeps the order of calls. */
    take(act: () => Promise<void>) {
      if (reservoirs[0] === undefined) void act()
      else void reservoirs[0].bottleneck.schedule(act)
    },
    /** Returns a token to each reservoir after its window plus `lateMs`, or at once if `lateMs` is undefined. */
    putBack(lateMs?: number) {
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
