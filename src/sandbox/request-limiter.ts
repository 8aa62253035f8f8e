import { RATE_LIMITS } from '../contract/limits.ts'

export interface Limiter {
  /** Counts a request and returns 0, or returns the milliseconds to wait. `at` must never decrease. */
  take(at: number): number
}

/** Limits requests exactly: keeps the times of the last `requests` accepted requests of each limit. */
export function slidingLimiter(limits: typeof RATE_LIMITS = RATE_LIMITS): Limiter {
  const rings = limits.map(({ requests, windowMs }) => ({
    times: new Float64Array(requests).fill(-Infinity),
    oldest: 0,
    windowMs,
  }))
  return {
    take(at) {
      const wait = Math.max(...rings.map((ring) => ring.times[ring.oldest]! + ring.windowMs - at))
      if (wait > 0) return wait
      for (const ring of rings) {
        ring.times[ring.oldest] = at
        ring.oldest = (ring.oldest + 1) % ring.times.length
      }
      return 0
    },
  }
}

/** Limits requests inexactly: restarts its counters each second and each minute. */
export function fixedLimiter(limits: typeof RATE_LIMITS = RATE_LIMITS): Limiter {
  const counters = limits.map((limit) => ({ ...limit, window: -1, count: 0 }))
  return {
    take(at) {
      let wait = 0
      for (const counter of counters) {
        const window = Math.floor(at / counter.windowMs)
        if (window !== counter.window) {
          counter.window = window
          counter.count = 0
        }
        if (counter.count >= counter.requests) wait = Math.max(wait, (window + 1) * counter.windowMs - at)
      }
      if (wait === 0) for (const counter of counters) counter.count++
      return wait
    },
  }
}
