import { setMaxListeners } from 'node:events'
import Bottleneck from 'bottleneck'
import type { Effects } from '../effects.ts'

/** At most `requests` in every sliding window of `windowMs` milliseconds. */
export interface RateLimit {
  readonly requests: number
  readonly windowMs: number
}

/** A permit to send one request. Release it exactly once. */
interface Permit {
  /** @param isAnswered false when no answer came, so that the request may still be on its way */
  release(isAnswered: boolean): void
}

/** Gives permits, first come, first served. */
export interface Limiter {
  /**
   * Waits for a permit.
   * @param options.isRetry goes before all others: it has waited already
   * @throws the signal's reason, at once, when it is aborted while waiting; what the shared bucket throws
   */
  acquire(options?: { signal?: AbortSignal | undefined; isRetry?: boolean }): Promise<Permit>
  /** No permit is given for so many milliseconds. Pauses do not add up: the latest end counts. */
  pause(ms: number): void
  /** Forgets what is still to come back. Whoever waits has to be aborted by their signals. */
  close(): void
}

interface Waiting {
  grant(permit: Permit): void
  reject(error: unknown): void
}

/** Added to a window: a timer may be a millisecond early, the service's clock tick once, its window count both ends. */
const GUARD_MS = 3
/** What a window lasts longer by our clock than by the service's: 500 in a million is the most that adjtimex(2) does. */
const DRIFT = 0.0005
/** A request that got no answer may arrive up to this long after it was abandoned, milliseconds. */
const LATE_ARRIVAL_MS = 1_000

/** The share of each limit, at least one request. */
export function shareOf(limits: readonly RateLimit[], share: number): RateLimit[] {
  // 0.57 × 100 is a hair below 57 in binary.
  return limits.map((limit) => ({
    ...limit,
    requests: Math.max(1, Math.floor(limit.requests * share + 1e-9)),
  }))
}

/**
 * Keeps every limit in every sliding window, as the service sees it, and still spends full bursts: each limit is a
 * reservoir whose tokens come back one by one, a window after the answer, because the service counted the request no later
 * than that (src/decisions/001-bottleneck-limits-the-rate.md). At most a burst is under way at once.
 * @param options.limits of this client alone; none: only pauses hold requests up
 * @param options.bucket asked for every permit, where several processes use the same limits
 */
export function createLimiter(options: {
  limits: readonly RateLimit[]
  effects: Pick<Effects, 'elapsed' | 'sleep'>
  bucket?: { take(): Promise<void> } | undefined
}): Limiter {
  const { effects, bucket } = options
  const reservoirs = options.limits.map(({ requests, windowMs }) => ({
    bottleneck: new Bottleneck({ reservoir: requests }),
    backAfterMs: Math.ceil(windowMs * (1 + DRIFT)) + GUARD_MS,
  }))
  for (const [index, { bottleneck }] of reservoirs.slice(1).entries())
    reservoirs[index]!.bottleneck.chain(bottleneck)
  const waiting: Waiting[] = []
  const returning = new Set<NodeJS.Timeout>()
  const closing = new AbortController()
  // As many as are under way may wait for the end of a pause.
  setMaxListeners(0, closing.signal)
  let pausedUntil = Number.NEGATIVE_INFINITY
  /** Tokens on their way back let the process end; this holds it while a request waits for one. */
  const hold = setInterval(() => undefined, 60_000).unref()

  /** Called when one more request may be sent. Whose it is, is decided now: retries first, aborted ones not at all. */
  async function admit() {
    try {
      do {
        while (pauseMs() > 0) await effects.sleep(pauseMs(), closing.signal)
        await bucket?.take()
      } while (pauseMs() > 0)
    } catch (error) {
      waiting[0]?.reject(error)
      return
    }
    const first = waiting[0]
    if (first === undefined) putBack()
    else first.grant({ release: (isAnswered) => putBack(isAnswered ? 0 : LATE_ARRIVAL_MS) })
  }

  const pauseMs = () => pausedUntil - effects.elapsed()

  /** Puts a token back into each reservoir: a window and `lateMs` from now, or at once when nothing was sent. */
  function putBack(lateMs?: number) {
    for (const { bottleneck, backAfterMs } of reservoirs) {
      if (closing.signal.aborted) return
      const timer = setTimeout(
        () => {
          returning.delete(timer)
          bottleneck.incrementReservoir(1)
        },
        lateMs === undefined ? 0 : backAfterMs + lateMs,
      )
      returning.add(timer.unref())
    }
  }

  return {
    acquire({ signal, isRetry = false } = {}) {
      return new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason)
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
        if (reservoirs[0] === undefined) admit()
        else reservoirs[0].bottleneck.schedule(admit)
      })
    },
    pause(ms) {
      pausedUntil = Math.max(pausedUntil, effects.elapsed() + ms)
    },
    close() {
      closing.abort()
      clearInterval(hold)
      for (const timer of returning) clearTimeout(timer)
    },
  }
}
