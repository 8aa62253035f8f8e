import { setMaxListeners } from 'node:events'
import Bottleneck from 'bottleneck'
import type { Effects } from '../effects.ts'

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

/** A permit to send one request. Release it exactly once. */
interface Permit {
  /** @param isAnswered false when no answer came, so that the request may still be on its way */
  release(isAnswered: boolean): void
}

interface Asking {
  readonly signal?: AbortSignal | undefined
  /** Goes before all others: it has waited already. */
  readonly isRetry?: boolean
}

/** Gives permits, first come, first served. */
export interface Limiter {
  /**
   * Waits for a permit.
   * @throws the signal's reason, at once, when it is aborted while waiting
   */
  acquire(asking?: Asking): Promise<Permit>
  /** No permit is given for so many milliseconds. Pauses do not add up: the latest end counts. */
  pause(ms: number): void
  /** Forgets what is still to come back. Whoever waits has to be aborted by their signals. */
  close(): void
}

/** A request that got no answer may arrive up to this long after it was abandoned, milliseconds. */
const LATE_ARRIVAL_MS = 1_000

/** Gives permits in one queue: retries first, and none during a pause. Without limits, only a pause delays a request. */
export function createLimiter(
  limits: readonly RateLimit[],
  effects: Pick<Effects, 'elapsed' | 'sleep'>,
): Limiter {
  const reservoirs = createReservoirs(limits)
  const queue = createQueue()
  const closing = new AbortController()
  // As many as are under way may wait for the end of a pause.
  setMaxListeners(0, closing.signal)
  let pausedUntil = Number.NEGATIVE_INFINITY
  const pauseMs = () => pausedUntil - effects.elapsed()

  /** Called when one more request may be sent. Whose it is, is decided now: retries first, aborted ones not at all. */
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

/** Those who wait, until they are granted a permit, rejected, or aborted. */
function createQueue() {
  const waiting: Waiting[] = []
  /** Tokens on their way back let the process end; this holds it while a request waits for one. */
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

/** Added to a window: a timer may be a millisecond early, the service's clock tick once, its window count both ends. */
const GUARD_MS = 3
/** What a window lasts longer by our clock than by the service's: 500 in a million is the most that adjtimex(2) does. */
const DRIFT = 0.0005

/** The tokens of each limit. */
interface Reservoirs {
  /** Calls back when each reservoir has given a token, in the order of the calls; at once where there is no limit. */
  take(act: () => Promise<void>): void
  /** Puts a token back into each: a window and `lateMs` from now, or at once when nothing was sent. */
  putBack(lateMs?: number): void
  /** Forgets what is still to come back. */
  close(): void
}

/**
 * Keeps every limit in every sliding window, as the service sees it, and still spends full bursts: each limit is a
 * reservoir whose tokens come back one by one, a window after the answer, because the service counted the request no later
 * than that (src/decisions/001-bottleneck-limits-the-rate.md). At most a burst is under way at once.
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
