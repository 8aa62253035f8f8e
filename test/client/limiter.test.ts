import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createBudget, LATE_ARRIVAL_MS } from '../../src/client/budget/budget.ts'
import { memoryLog } from '../../src/client/budget/log.ts'
import { createLimiter } from '../../src/client/limiter.ts'
import type { Limit } from '../../src/client/sliding-window.ts'
import { RATE_LIMITS } from '../../src/contract/limits.ts'
import { type FakeTime, fakeTime } from './fake-time.ts'
import { mostInWindow } from './most-in-window.ts'

/** One request's way: asked for at `at`, `forth` to the service, `back` from it; `isLost`: its answer never comes. */
interface Trip {
  at: number
  forth: number
  back: number
  isLost?: boolean
  /** Added to each way while its connection is new. */
  cold?: { forth: number; back: number }
}

/** The budget of a client that shares with nobody. */
const alone = (time: FakeTime, limits: readonly Limit[]) =>
  createBudget({ log: memoryLog(), limits, share: 1, clock: time.now, longestMs: 60_000 })

/** Sends every trip through a limiter and returns when each arrived at the service, and when the last ended. */
async function simulate(trips: readonly Trip[], limits: readonly Limit[], concurrency = 50) {
  const time = fakeTime()
  const limiter = createLimiter(time, alone(time, limits), concurrency)
  const arrivals: number[] = []
  let idle = 0
  let lastEnd = 0
  for (const trip of trips)
    time.at(trip.at, async () => {
      const ticket = await limiter.take()
      const sentAt = time.now()
      const reused = idle > 0
      if (reused) idle--
      const { forth: coldForth, back: coldBack } = (reused ? undefined : trip.cold) ?? { forth: 0, back: 0 }
      const forth = trip.forth + coldForth
      if (trip.isLost) {
        // Given up at once, and counted by the service as late as a lost request may be.
        ticket.end()
        arrivals.push(sentAt + Math.min(forth, LATE_ARRIVAL_MS))
        return
      }
      arrivals.push(sentAt + forth)
      time.at(sentAt + forth + trip.back + coldBack, () => {
        idle++
        ticket.end({ sentAt, answeredAt: time.now(), reused })
        lastEnd = time.now()
      })
    })
  await time.run()
  return { arrivals: arrivals.sort((a, b) => a - b), lastEnd }
}

/** The most that a limiter counts whose windows begin at multiples of `windowMs` after `phase`. */
function mostInFixedWindow(arrivals: readonly number[], windowMs: number, phase: number): number {
  const counts = new Map<number, number>()
  for (const arrival of arrivals) {
    const window = Math.floor((arrival - phase) / windowMs)
    counts.set(window, (counts.get(window) ?? 0) + 1)
  }
  return Math.max(0, ...counts.values())
}

const same = (count: number, forth: number, back: number): Trip[] =>
  Array.from({ length: count }, () => ({ at: 0, forth, back }))

describe('a burst', () => {
  for (const latency of [0, 150])
    for (const { count, floorS } of [
      { count: 100, floorS: 2 },
      { count: 1_000, floorS: 20 },
      { count: 3_000, floorS: 140 },
    ])
      it(`of ${count} takes about ${floorS} s with ${latency} ms latency and breaks no window`, async () => {
        const { arrivals, lastEnd } = await simulate(same(count, latency / 2, latency / 2), RATE_LIMITS)
        expect(arrivals).toHaveLength(count)
        expect(lastEnd / 1_000).toBeLessThanOrEqual(floorS * 1.05 + 1)
        for (const { requests, windowMs } of RATE_LIMITS) {
          expect(mostInWindow(arrivals, windowMs)).toBeLessThanOrEqual(requests)
          expect(mostInFixedWindow(arrivals, windowMs, 0)).toBeLessThanOrEqual(requests)
        }
      })

  it('stays near what the windows allow, not only near the round figures', async () => {
    const { lastEnd } = await simulate(same(3_000, 75, 75), RATE_LIMITS)
    // 50 at 0, 1, … 19 s; again from 60 s and from 120 s; the last answer 150 ms later.
    expect(lastEnd).toBeLessThanOrEqual((120 + 19) * 1_000 * 1.02 + 150)
  })
})

describe('every sliding window', () => {
  const limits = [
    { requests: 5, windowMs: 1_000 },
    { requests: 60, windowMs: 20_000 },
  ]
  const path = fc.record({ forth: fc.integer({ min: 0, max: 200 }), back: fc.integer({ min: 0, max: 200 }) })
  const noise = fc.record({
    /** When it is asked for, after the one before. */
    gap: fc.oneof(
      { weight: 6, arbitrary: fc.constant(0) },
      { weight: 2, arbitrary: fc.integer({ min: 1, max: 400 }) },
      { weight: 1, arbitrary: fc.integer({ min: 500, max: 15_000 }) },
    ),
    /** Small delays, as a share of the fixed way; now and then a large one on either leg. */
    jitter: fc.double({ min: 0, max: 0.5, noNaN: true }),
    held: fc.oneof(
      { weight: 8, arbitrary: fc.constant([0, 0]) },
      {
        weight: 1,
        arbitrary: fc.tuple(fc.integer({ min: 0, max: 3_000 }), fc.integer({ min: 0, max: 3_000 })),
      },
    ),
    isLost: fc.oneof(
      { weight: 15, arbitrary: fc.constant(false) },
      { weight: 1, arbitrary: fc.constant(true) },
    ),
  })

  it('holds, whatever is delayed, held up or lost on its way', async () => {
    await fc.assert(
      fc.asyncProperty(
        path,
        fc.array(noise, { minLength: 1, maxLength: 250, size: 'max' }),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 0, max: 20_000 }),
        async ({ forth, back }, noises, concurrency, phase) => {
          let at = 0
          const trips = noises.map(({ gap, jitter, held, isLost }): Trip => {
            at += gap
            const [heldForth = 0, heldBack = 0] = held
            return {
              at,
              forth: forth * (1 + jitter) + heldForth,
              back: back * (1 + jitter) + heldBack,
              isLost,
            }
          })
          const { arrivals } = await simulate(trips, limits, concurrency)
          expect(arrivals).toHaveLength(trips.length)
          for (const { requests, windowMs } of limits) {
            expect(mostInWindow(arrivals, windowMs)).toBeLessThanOrEqual(requests)
            expect(mostInFixedWindow(arrivals, windowMs, phase)).toBeLessThanOrEqual(requests)
          }
        },
      ),
      { numRuns: 150 },
    )
  })

  it('holds at a service that answers at once and counts whole milliseconds, those of both ends', async () => {
    const part = fc.double({ min: 0, max: 1, noNaN: true })
    await fc.assert(
      fc.asyncProperty(part, fc.array(part, { minLength: 70, maxLength: 70 }), async (tick, ways) => {
        const { arrivals } = await simulate(
          ways.map((forth) => ({ at: 0, forth, back: 0 })),
          limits,
        )
        const inTicks = arrivals.map((arrival) => Math.floor(arrival + tick))
        for (const { requests, windowMs } of limits)
          expect(mostInWindow(inTicks, windowMs + 1)).toBeLessThanOrEqual(requests)
      }),
    )
  })

  it('holds where both ways jitter, each on its own, a little or a lot', async () => {
    const way = fc.integer({ min: 0, max: 1_000 })
    await fc.assert(
      fc.asyncProperty(
        path,
        fc.integer({ min: 0, max: 100 }),
        fc.array(fc.tuple(way, way), { minLength: 250, maxLength: 250 }),
        async ({ forth, back }, jitter, ways) => {
          const trips = ways.map(([there, home]) => ({
            at: 0,
            forth: forth + (jitter * there) / 1_000,
            back: back + (jitter * home) / 1_000,
          }))
          const { arrivals } = await simulate(trips, limits, 12)
          for (const { requests, windowMs } of limits)
            expect(mostInWindow(arrivals, windowMs)).toBeLessThanOrEqual(requests)
        },
      ),
      { numRuns: 60 },
    )
  })

  it('is nearly filled, whatever the steady latency', async () => {
    await fc.assert(
      fc.asyncProperty(path, fc.integer({ min: 60, max: 180 }), async ({ forth, back }, count) => {
        const { lastEnd } = await simulate(same(count, forth, back), limits, 50)
        const windows = Math.ceil(count / 60) - 1
        const floor = windows * 20_000 + (Math.ceil((count - windows * 60) / 5) - 1) * 1_000 + forth + back
        // Half of the round trip is lost in each second, and all of it until enough answers are in.
        const seconds = Math.ceil(Math.min(count, 60) / 5) + windows
        expect(lastEnd).toBeLessThanOrEqual(floor + seconds * (forth + back + 20))
      }),
      { numRuns: 40 },
    )
  })

  it('holds against a first burst that was slow on its way there, all alike, and a second that is not', async () => {
    const slow = fc.record({
      count: fc.oneof(fc.constant(50), fc.integer({ min: 1, max: 50 })),
      forth: fc.integer({ min: 0, max: 3_000 }),
      back: fc.integer({ min: 0, max: 1_000 }),
    })
    const chance = fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 50, maxLength: 50 })
    await fc.assert(
      fc.asyncProperty(path, slow, chance, async (later, { count, forth, back }, jitter) => {
        const first = same(count, later.forth + forth, later.back + back)
        for (const [k, trip] of first.entries()) trip.forth += jitter[k]!
        const { arrivals } = await simulate(
          [...first, ...same(300 - count, later.forth, later.back)],
          RATE_LIMITS,
        )
        expect(mostInWindow(arrivals, 1_000)).toBeLessThanOrEqual(50)
        expect(mostInFixedWindow(arrivals, 1_000, later.forth)).toBeLessThanOrEqual(50)
      }),
      { numRuns: 60 },
    )
  })

  /** Of 150 ms there and back. */
  const ways = [
    [150, 0],
    [0, 150],
    [75, 75],
  ] as const

  it('is filled from the first second on, but for the one round trip that nobody can know of', async () => {
    for (const [forth, back] of [[0, 0] as const, ...ways]) {
      const { lastEnd } = await simulate(same(100, forth, back), RATE_LIMITS)
      expect(lastEnd).toBeGreaterThanOrEqual(1_000 + 2 * (forth + back))
      expect(lastEnd).toBeLessThanOrEqual(1_010 + 2 * (forth + back))
    }
  })

  it('is filled by a client that knows the way', async () => {
    const later = same(100, 75, 75).map((trip) => ({ ...trip, at: 4_000 }))
    const { lastEnd } = await simulate([...same(100, 75, 75), ...later], RATE_LIMITS)
    expect(lastEnd - 4_000).toBeLessThanOrEqual(1_150 + 12)
  })

  it('holds while connections are slow as long as they are new, also after a probe', async () => {
    const span = (max: number) =>
      fc.record({ forth: fc.integer({ min: 0, max }), back: fc.integer({ min: 0, max }) })
    await fc.assert(
      fc.asyncProperty(path, span(2_000), span(2_000), async (way, first, cold) => {
        const probe = { at: 0, ...way, cold: first }
        const burst = same(200, way.forth, way.back).map((trip) => ({ ...trip, at: 8_500, cold }))
        const { arrivals } = await simulate([probe, ...burst], RATE_LIMITS)
        expect(mostInWindow(arrivals, 1_000)).toBeLessThanOrEqual(50)
      }),
      { numRuns: 60 },
    )
  })

  it('is filled from the first second on by a client that has sent a probe', async () => {
    for (const [forth, back] of ways) {
      const burst = same(100, forth, back).map((trip) => ({ ...trip, at: 2_000 }))
      const { lastEnd } = await simulate([...same(1, forth, back), ...burst], RATE_LIMITS)
      expect(lastEnd - 2_000).toBeGreaterThanOrEqual(1_000 + forth + back)
      expect(lastEnd - 2_000).toBeLessThanOrEqual(1_012 + forth + back)
    }
  })
})

describe('the queue', () => {
  const oneASecond = [{ requests: 1, windowMs: 1_000 }]
  const answered = (time: FakeTime) => ({ sentAt: time.now(), answeredAt: time.now(), reused: true })

  it('is first come, first served; what is tried again goes first', async () => {
    const time = fakeTime()
    const limiter = createLimiter(time, alone(time, oneASecond), 50)
    const order: string[] = []
    const take = async (name: string, again: boolean) => {
      const ticket = await limiter.take({ again })
      order.push(name)
      ticket.end(answered(time))
    }
    for (const name of ['a', 'b', 'c']) take(name, false)
    take('retry', true)
    await time.run()
    expect(order).toEqual(['a', 'retry', 'b', 'c'])
  })

  it('rejects an aborted wait at once, with its reason, and keeps nothing waiting for it', async () => {
    const time = fakeTime()
    const limiter = createLimiter(time, alone(time, oneASecond), 50)
    ;(await limiter.take()).end(answered(time))
    const stop = new AbortController()
    const waits = [1, 2, 3].map(() => limiter.take({ signal: stop.signal }))
    stop.abort(new Error('stopped'))
    for (const wait of waits) await expect(wait).rejects.toThrow('stopped')
    expect(time.now()).toBe(0)
    await expect(limiter.take({ signal: stop.signal })).rejects.toThrow('stopped')
  })

  it('goes on after an aborted wait', async () => {
    const time = fakeTime()
    const limiter = createLimiter(time, alone(time, oneASecond), 50)
    ;(await limiter.take()).end(answered(time))
    const stop = new AbortController()
    const aborted = limiter.take({ signal: stop.signal })
    stop.abort(new Error('stopped'))
    await expect(aborted).rejects.toThrow('stopped')
    let grantedAt = -1
    limiter.take().then(() => {
      grantedAt = time.now()
    })
    await time.run()
    expect(grantedAt).toBeGreaterThanOrEqual(1_000)
    expect(grantedAt).toBeLessThan(1_100)
  })

  it('stands still during a pause, also for those who sleep already; the latest end counts', async () => {
    const time = fakeTime()
    const limiter = createLimiter(time, alone(time, oneASecond), 50)
    const granted: number[] = []
    for (let count = 0; count < 3; count++)
      limiter.take().then((ticket) => {
        granted.push(time.now())
        if (granted.length === 1) limiter.pause(5_000)
        if (granted.length === 1) limiter.pause(2_000)
        ticket.end(answered(time))
      })
    await time.run()
    expect(granted[0]).toBe(0)
    expect(granted[1]).toBe(5_000)
    expect(granted[2]).toBeGreaterThanOrEqual(6_000)
  })

  it.each([
    { concurrency: 3, ms: 20, first: 3, later: 3 },
    { concurrency: 50, ms: 1, first: 50, later: 8 },
    { concurrency: 50, ms: 8.5, first: 50, later: 9 },
    { concurrency: 50, ms: 20, first: 50, later: 20 },
    { concurrency: 50, ms: 150, first: 50, later: 50 },
  ])('sends $concurrency at once at first, and $later after answers in $ms ms', async (given) => {
    const time = fakeTime()
    const limiter = createLimiter(time, undefined, given.concurrency)
    let underWay = 0
    const most = { first: 0, later: 0 }
    for (let count = 0; count < 200; count++)
      limiter.take().then((ticket) => {
        const sentAt = time.now()
        const part = sentAt === 0 ? 'first' : 'later'
        most[part] = Math.max(most[part], ++underWay)
        time.at(sentAt + given.ms, () => {
          underWay--
          ticket.end({ sentAt, answeredAt: time.now(), reused: sentAt > 0 })
        })
      })
    await time.run()
    expect(most).toEqual({ first: given.first, later: given.later })
  })

  it('holds the concurrency without any limits', async () => {
    const time = fakeTime()
    const limiter = createLimiter(time, undefined, 3)
    let underWay = 0
    let most = 0
    for (let count = 0; count < 20; count++)
      limiter.take().then((ticket) => {
        most = Math.max(most, ++underWay)
        time.at(time.now() + 10, () => {
          underWay--
          ticket.end(answered(time))
        })
      })
    await time.run()
    expect(most).toBe(3)
    expect(time.now()).toBe(70)
  })
})
