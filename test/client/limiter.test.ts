import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createLimiter, type RateLimit, shareOf } from '../../src/client/limiter.ts'
import { RATE_LIMITS } from '../../src/contract/limits.ts'
import { realEffects } from '../../src/effects.ts'
import { mostInWindow } from './max-requests-in-window.ts'

/**
 * One request. The client sends it at `at`. It takes `forth` ms to the service and `back` ms to return. If `isLost`, no
 * response returns.
 */
interface Trip {
  at: number
  forth: number
  back: number
  isLost?: boolean
}

const limiterOf = (limits: readonly RateLimit[]) => createLimiter(limits, realEffects())

/** Sends every trip through a limiter, in real time. @returns the arrival times at the service, in order */
async function simulate(trips: readonly Trip[], limits: readonly RateLimit[]): Promise<number[]> {
  const limiter = limiterOf(limits)
  const arrivals: number[] = []
  await Promise.all(
    trips.map(async ({ at, forth, back, isLost = false }) => {
      if (at > 0) await sleep(at)
      const permit = await limiter.acquire()
      if (isLost) permit.release(false)
      if (forth > 0) await sleep(forth)
      arrivals.push(performance.now())
      if (isLost) return
      if (back > 0) await sleep(back)
      permit.release(true)
    }),
  )
  limiter.close()
  return arrivals.sort((a, b) => a - b)
}

/**
 * Returns the highest number of requests in any window. The windows of the service begin `phase` after multiples of
 * `windowMs`.
 */
function mostInFixedWindow(arrivals: readonly number[], windowMs: number, phase: number): number {
  const counts = new Map<number, number>()
  for (const arrival of arrivals) {
    const window = Math.floor((arrival - phase) / windowMs)
    counts.set(window, (counts.get(window) ?? 0) + 1)
  }
  return Math.max(0, ...counts.values())
}

describe('the rate limiter', () => {
  const limits = [
    { requests: 5, windowMs: 60 },
    { requests: 40, windowMs: 1_000 },
  ]
  const few = fc.integer({ min: 0, max: 12 })
  const trip = fc.record({
    /** Milliseconds between this request and the previous one. */
    gap: fc.oneof(
      { weight: 6, arbitrary: fc.constant(0) },
      { weight: 2, arbitrary: fc.integer({ min: 1, max: 30 }) },
      { weight: 1, arbitrary: fc.integer({ min: 30, max: 600 }) },
    ),
    jitter: fc.tuple(few, few),
    held: fc.oneof(
      { weight: 8, arbitrary: fc.constant([0, 0]) },
      { weight: 1, arbitrary: fc.tuple(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 0, max: 200 })) },
    ),
    isLost: fc.oneof(
      { weight: 15, arbitrary: fc.constant(false) },
      { weight: 1, arbitrary: fc.constant(true) },
    ),
  })
  const world = fc.record({
    forth: few,
    back: few,
    trips: fc.array(trip, { minLength: 60, maxLength: 110, size: 'max' }),
    phase: fc.integer({ min: 0, max: 1_000 }),
    /** The offset of the service's clock ticks, within a millisecond. */
    tick: fc.double({ min: 0, max: 1, noNaN: true }),
  })

  it('stays within the limit of every sliding window, whichever requests are delayed or lost', async () => {
    // The simulations run in parallel because each takes seconds.
    await fc.assert(
      fc.asyncProperty(fc.array(world, { minLength: 8, maxLength: 8 }), async (worlds) => {
        await Promise.all(
          worlds.map(async ({ forth, back, trips, phase, tick }) => {
            let at = 0
            const sent = trips.map(({ gap, jitter, held, isLost }): Trip => {
              at += gap
              return {
                at,
                forth: forth + jitter[0] + held[0]!,
                back: back + jitter[1] + held[1]!,
                isLost,
              }
            })
            const arrivals = await simulate(sent, limits)
            const inTicks = arrivals.map((arrival) => Math.floor(arrival + tick))
            expect(arrivals).toHaveLength(trips.length)
            for (const { requests, windowMs } of limits) {
              expect(mostInWindow(arrivals, windowMs)).toBeLessThanOrEqual(requests)
              expect(mostInFixedWindow(arrivals, windowMs, phase)).toBeLessThanOrEqual(requests)
              // The service may count in whole milliseconds, and may count both ends of a window.
              expect(mostInWindow(inTicks, windowMs + 1)).toBeLessThanOrEqual(requests)
            }
          }),
        )
      }),
      { numRuns: 1, endOnFailure: true },
    )
  }, 300_000)

  it('uses the full limit of the service, 50 requests per second, but never exceeds it', async () => {
    const trips = Array.from({ length: 160 }, () => ({ at: 0, forth: 0, back: 0 }))
    expect(mostInWindow(await simulate(trips, RATE_LIMITS), 1_000)).toBe(50)
  })
})

describe('permits of the rate limiter', () => {
  const oneAtATime = [{ requests: 1, windowMs: 50 }]

  it('are granted up to the limit, then again one window after a response', async () => {
    const limiter = limiterOf([
      { requests: 3, windowMs: 50 },
      { requests: 9, windowMs: 200 },
    ])
    const given: { release(isAnswered: boolean): void }[] = []
    for (let count = 0; count < 4; count++) void limiter.acquire().then((permit) => given.push(permit))
    await sleep(150)
    expect(given).toHaveLength(3)
    const releasedAt = performance.now()
    given[0]!.release(true)
    while (given.length < 4) await sleep(1)
    expect(performance.now() - releasedAt).toBeGreaterThanOrEqual(50)
    limiter.close()
  })

  it('are granted again one second later than usual if no response arrived', async () => {
    const limiter = limiterOf(oneAtATime)
    const permit = await limiter.acquire()
    const releasedAt = performance.now()
    permit.release(false)
    await limiter.acquire()
    expect(performance.now() - releasedAt).toBeGreaterThanOrEqual(1_050)
    limiter.close()
  })

  it('are granted in order of request, but retries go first', async () => {
    const limiter = limiterOf(oneAtATime)
    const order: string[] = []
    const acquire = async (name: string, isRetry: boolean) => {
      const permit = await limiter.acquire({ isRetry })
      order.push(name)
      permit.release(true)
    }
    await acquire('a', false)
    await Promise.all([acquire('b', false), acquire('c', false), acquire('retry', true)])
    expect(order).toEqual(['a', 'retry', 'b', 'c'])
    limiter.close()
  })

  it('are not lost if waiting requests are aborted', async () => {
    const limiter = limiterOf(oneAtATime)
    const first = await limiter.acquire()
    const stop = new AbortController()
    const waits = [1, 2, 3].map(() => limiter.acquire({ signal: stop.signal }))
    const after = limiter.acquire()
    stop.abort(new Error('stopped'))
    // No permit was released in the meantime, so only the abort can reject them.
    for (const wait of waits) await expect(wait).rejects.toThrow('stopped')
    await expect(limiter.acquire({ signal: stop.signal })).rejects.toThrow('stopped')
    first.release(true)
    ;(await after).release(true)
    await limiter.acquire()
    limiter.close()
  })

  it('are not granted before the longest pause has ended', async () => {
    const limiter = limiterOf([{ requests: 1, windowMs: 10 }])
    const pausedAt = performance.now()
    const order: string[] = []
    const acquire = async (name: string, isRetry: boolean) => {
      const permit = await limiter.acquire({ isRetry })
      expect(performance.now() - pausedAt).toBeGreaterThanOrEqual(299)
      order.push(name)
      permit.release(true)
    }
    const first = acquire('first', false)
    limiter.pause(300)
    limiter.pause(100)
    await sleep(50)
    // The retry is served before the first request, which already waits for the end of the pause.
    await Promise.all([first, acquire('retry', true)])
    expect(order).toEqual(['retry', 'first'])
    limiter.close()
  })

  it('are granted immediately without limits, except during a pause', async () => {
    const limiter = limiterOf([])
    await Promise.all(Array.from({ length: 500 }, () => limiter.acquire()))
    const pausedAt = performance.now()
    limiter.pause(100)
    await Promise.all(Array.from({ length: 500 }, () => limiter.acquire()))
    expect(performance.now() - pausedAt).toBeGreaterThanOrEqual(99)
    limiter.close()
  })
})

describe('the request limits per second and per minute', () => {
  it.each([
    { share: 1, requests: [50, 1_000] },
    { share: 0.6, requests: [30, 600] },
    { share: 0.57, requests: [28, 570] },
    { share: 0.001, requests: [1, 1] },
  ])('are $requests for a quota of $share', ({ share, requests }) => {
    expect(shareOf(RATE_LIMITS, share).map((limit) => limit.requests)).toEqual(requests)
  })
})
