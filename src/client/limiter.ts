import type { Effects } from '../effects.ts'
import type { Budget } from './budget/budget.ts'
import { onAbort } from './on-abort.ts'
import { createRoundTrips, ENOUGH_ANSWERS } from './round-trips.ts'
import type { RoundTrip } from './transport.ts'

/** Leave to send one request. Every ticket must be ended exactly once. */
export interface Ticket {
  /**
   * Says that the request is over.
   * @param answer leave it out when no answer came, so that the request may still be on its way
   */
  end(answer?: RoundTrip): void
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

/** Under way at once while answers come at once: opening more connections would take longer than waiting. */
const FEW = 8

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
 * Of a first burst on new connections nothing is taken off, however alike its round trips are. Where all answers took 150 ms,
 * the service may have counted the requests at once and been slow to answer, or have got them late and answered at once; no
 * clock on this side tells which. The second happens where something in front of it has to warm up, and then the next burst has
 * a fast way: sent W + d after the first with d below 150, it arrives less than W after that was counted, and is refused. So
 * a client that is never to be refused and has sent nothing yet sends its second burst W after the answers of the first, not
 * sooner: one round trip is the price of a start. One request before the burst spares it, such as the probe that every sync
 * begins with: its connection is warm when the burst comes, and the answer over it shows the way as it will be.
 *
 * @param budget counts the requests, of this client alone or of all that share it; without one there are no limits
 * @param concurrency requests that may be under way at once; fewer are while answers are quick
 */
export function createLimiter(
  effects: Pick<Effects, 'elapsed' | 'sleep'>,
  budget: Budget | undefined,
  concurrency: number,
): Limiter {
  const queue: Waiting[] = []
  const roundTrips = createRoundTrips()
  /** Ended before the way was known, the latest of them. */
  let early: { id: string; answeredAt: number }[] = []
  let width = concurrency
  let underWay = 0
  let pausedUntil = Number.NEGATIVE_INFINITY
  let sleeper: AbortController | undefined

  function end(id: string, answer?: RoundTrip) {
    underWay--
    if (answer === undefined) budget?.end(id)
    else {
      learnFrom(answer)
      budget?.end(id, countedAgoMs(answer.answeredAt))
      const { answeredAt } = answer
      if (!roundTrips.areKnown()) early = [...early, { id, answeredAt }].slice(-ENOUGH_ANSWERS)
    }
    grantAll()
  }

  function learnFrom({ sentAt, answeredAt, reused }: RoundTrip) {
    const ms = answeredAt - sentAt
    // One a millisecond is about as fast as a program sends, and twenty times the limit of a second.
    width = Math.min(Math.max(FEW, Math.ceil(ms)), concurrency)
    roundTrips.add(ms, reused)
    if (roundTrips.areKnown() && early.length > 0) reviseEarly()
  }

  /** The way is known now: they were counted earlier than was said, which makes the next start earlier too. */
  function reviseEarly() {
    if (roundTrips.leastMs() > 0)
      for (const { id, answeredAt } of early) budget?.revise(id, countedAgoMs(answeredAt))
    early = []
    sleeper?.abort()
    sleeper = undefined
  }

  const countedAgoMs = (answeredAt: number) => effects.elapsed() - answeredAt + roundTrips.leastMs()

  /** Sends all that may go now; sleeps until the next may. */
  function grantAll() {
    while (sleeper === undefined && queue.length > 0 && underWay < width) {
      const pauseMs = pausedUntil - effects.elapsed()
      const waitMs = pauseMs > 0 ? pauseMs : (budget?.waitMs() ?? 0)
      // Every token is under way: the end of a request brings us back here.
      if (waitMs === Number.POSITIVE_INFINITY) return
      if (waitMs > 0) return sleepFor(waitMs)
      underWay++
      queue.shift()?.grant(budget?.start() ?? '')
    }
  }

  /** One sleep at a time is enough: the one event that makes the next start earlier ends it, and so does an empty queue. */
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
            forget?.()
            resolve({ end: (answer) => end(id, answer) })
          },
        }
        const forget =
          signal &&
          onAbort(signal, () => {
            leave(waiting)
            reject(signal.reason)
          })
        if (again) queue.unshift(waiting)
        else queue.push(waiting)
        grantAll()
      })
    },
    pause(ms) {
      pausedUntil = Math.max(pausedUntil, effects.elapsed() + ms)
    },
  }
}
