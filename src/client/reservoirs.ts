import Bottleneck from 'bottleneck'
import type { RateLimit } from './rate-limit.ts'

/** Added to a window: a timer may be a millisecond early, the service's clock tick once, its window count both ends. */
const GUARD_MS = 3
/** What a window lasts longer by our clock than by the service's: 500 in a million is the most that adjtimex(2) does. */
const DRIFT = 0.0005

/** The limits that this process keeps alone. */
export interface Reservoirs {
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
export function createReservoirs(limits: readonly RateLimit[]): Reservoirs {
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
