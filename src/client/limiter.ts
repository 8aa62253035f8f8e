import type { Effects } from '../effects.ts'
import type { Budget } from './budget/budget.ts'
import { createRoundTrips } from './round-trips.ts'

/** Leave to send one request. Every ticket must be ended exactly once. */
export interface Ticket {
  /**
   * Says that the request is over.
   * @param answer when it was written to the wire and when the first byte of its answer came; leave it out when
   *   no answer came, so that the request may still be on its way
   */
  end(answer?: { sentAt: number; answeredAt: number }): void
}

/** Gives leave to send, first come, first served. */
export interface Limiter {
  /**
   * Waits for leave to send one request.
   * @param options.again goes before all others: a request that is tried again has waited already
   * @throws the signal's reason, at once, when it is aborted while waiting
   */
  take(options?: { signal?: AbortSignal | undefined; again?: boolean }): Promise<Ticket>
  /** Nothing is sent for the time given, in milliseconds. Pauses do not add up: the latest end counts. */
  pause(ms: number): void
}

interface Waiting {
  grant(id: string): void
}

/**
 * Keeps every limit in every sliding window, as the service sees it, and still spends whole bursts.
 *
 * Why it holds. Request i is written at s, arrives at a and is answered at e, so a <= e: whatever happened on
 * its way, it was counted before its answer came. A token spent on i therefore comes back a window W after e,
 * not after s, and the request j that takes it arrives W after i was counted, or later. A window (x, x + W]
 * of the service's time then never holds more than the limit: each request in it held a token of its own.
 *
 * That alone would waste one round trip in each window. The way of j to the service and the way of i's answer
 * back take time too, and those lie inside of the window. Both together cannot be shorter than the fastest way there plus
 * the fastest way back; round-trips.ts says how much of that is certain, and that much is taken off.
 *
 * Of the first burst nothing is taken off, however alike its round trips are. Where all answers took 150 ms, the service
 * may have counted the requests at once and been slow to answer, or have got them late and answered at once; no clock on
 * this side tells which. The second happens where something in front of it has to warm up, and then the next burst has a
 * fast way: sent W + d after the first with d below 150, it arrives less than W after that was counted, and is refused. So
 * a client that is never to be refused sends its second burst W after the answers of the first, not sooner: one round trip is
 * the price of a start.
 *
 * @param budget counts the requests, of this client alone or of all that share it; without one there are no limits
 * @param concurrency requests that may be under way at once
 */
export function createLimiter(
  effects: Pick<Effects, 'now' | 'sleep'>,
  budget: Budget | undefined,
  concurrency: number,
): Limiter {
  const queue: Waiting[] = []
  const roundTrips = createRoundTrips()
  let underWay = 0
  let pausedUntil = Number.NEGATIVE_INFINITY
  let sleeper: AbortController | undefined

  function end(id: string, answer?: { sentAt: number; answeredAt: number }) {
    underWay--
    if (answer !== undefined) roundTrips.add(answer.answeredAt - answer.sentAt)
    budget?.end(id, answer && effects.now() - answer.answeredAt + roundTrips.leastMs())
    grantAll()
  }

  /** Sends all that may go now; sleeps until the next may. */
  function grantAll() {
    while (sleeper === undefined && queue.length > 0 && underWay < concurrency) {
      const pauseMs = pausedUntil - effects.now()
      const waitMs = pauseMs > 0 ? pauseMs : (budget?.waitMs() ?? 0)
      // Every token is under way: the end of a request brings us back here.
      if (waitMs === Number.POSITIVE_INFINITY) return
      if (waitMs > 0) return sleepFor(waitMs)
      underWay++
      queue.shift()?.grant(budget?.start() ?? '')
    }
  }

  /** No event makes the next start earlier, so one sleep at a time is enough; an empty queue ends it. */
  function sleepFor(ms: number) {
    const mine = new AbortController()
    sleeper = mine
    effects.sleep(ms, mine.signal).then(wake, () => undefined)
    function wake() {
      if (sleeper === mine) sleeper = undefined
      grantAll()
    }
  }

  function leave(waiting: Waiting) {
    const place = queue.indexOf(waiting)
    if (place >= 0) queue.splice(place, 1)
    if (queue.length > 0) return
    sleeper?.abort()
    sleeper = undefined
    budget?.leave()
  }

  return {
    take({ signal, again = false } = {}) {
      return new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason)
        const waiting: Waiting = {
          grant(id) {
            signal?.removeEventListener('abort', stop)
            resolve({ end: (answer) => end(id, answer) })
          },
        }
        function stop() {
          leave(waiting)
          reject(signal?.reason)
        }
        signal?.addEventListener('abort', stop, { once: true })
        if (again) queue.unshift(waiting)
        else queue.push(waiting)
        grantAll()
      })
    },
    pause(ms) {
      pausedUntil = Math.max(pausedUntil, effects.now() + ms)
    },
  }
}
