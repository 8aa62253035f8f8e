import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Budget, createBudget, GUARD_MS, LATE_ARRIVAL_MS } from '../../../src/client/budget/budget.ts'
import type { BudgetLog } from '../../../src/client/budget/log.ts'
import type { BudgetRecord } from '../../../src/client/budget/record.ts'
import { createLimiter } from '../../../src/client/limiter.ts'
import { type Limit, shareOf } from '../../../src/client/sliding-window.ts'
import { RATE_LIMITS } from '../../../src/contract/limits.ts'
import { type FakeTime, fakeTime } from '../fake-time.ts'
import { mostInWindow } from '../most-in-window.ts'

/** What several processes write to and read from, each at its own pace. */
function commonLog(): () => BudgetLog {
  const records: BudgetRecord[] = []
  return () => {
    let read = 0
    return {
      isShared: true,
      append: (record) => void records.push(record),
      read() {
        const more = records.slice(read)
        read = records.length
        return more
      },
      close() {},
    }
  }
}

interface Run {
  share: number
  count: number
  startsAt: number
  /** One way, milliseconds. */
  wayMs: number
  diesAt?: number
}

/** Runs that send all they have as fast as they may, on one log; each is a process with a pid of its own. */
async function simulate(runs: readonly Run[], limits: readonly Limit[]) {
  const time = fakeTime()
  const openLog = commonLog()
  const dead = new Set<number>()
  const arrivals: { at: number; run: number }[] = []
  let lastEnd = 0
  for (const [run, { share, count, startsAt, wayMs, diesAt }] of runs.entries()) {
    const isDead = () => dead.has(run)
    const mortal = mortalTime(time, isDead)
    time.at(startsAt, () => {
      const budget = createBudget({
        log: openLog(),
        limits,
        share,
        clock: time.now,
        longestMs: 60_000,
        pid: run,
        isAlive: (pid) => !dead.has(pid),
      })
      const limiter = createLimiter(mortal, budget, 50)
      for (let sent = 0; sent < count; sent++)
        limiter.take().then((ticket) => {
          if (isDead()) return
          const sentAt = time.now()
          arrivals.push({ at: sentAt + wayMs, run })
          time.at(sentAt + 2 * wayMs, () => {
            if (isDead()) return
            ticket.end({ sentAt, answeredAt: time.now(), reused: true })
            lastEnd = time.now()
          })
        })
    })
    if (diesAt !== undefined) time.at(diesAt, () => dead.add(run))
  }
  await time.run()
  arrivals.sort((a, b) => a.at - b.at)
  return { arrivals, lastEnd }
}

/** Whoever is dead wakes no more. */
function mortalTime(time: FakeTime, isDead: () => boolean): FakeTime {
  return {
    ...time,
    sleep: async (ms, signal) => {
      await time.sleep(ms, signal)
      if (isDead()) await new Promise(() => undefined)
    },
  }
}

function expectKept(
  runs: readonly Run[],
  arrivals: readonly { at: number; run: number }[],
  limits: readonly Limit[],
) {
  for (const level of [1, ...runs.map(({ share }) => share)])
    for (const { requests, windowMs } of shareOf(limits, level)) {
      const those = arrivals.filter(({ run }) => runs[run]!.share <= level).map(({ at }) => at)
      expect(mostInWindow(those, windowMs)).toBeLessThanOrEqual(requests)
    }
}

const run = (count: number, more: Partial<Run> = {}): Run => ({
  share: 1,
  count,
  startsAt: 0,
  wayMs: 2,
  ...more,
})

describe('several runs on one account', () => {
  for (const processes of [2, 4])
    it(`take together as long as one: ${processes} of them`, async () => {
      const count = 1_200 / processes
      const runs = Array.from({ length: processes }, () => run(count))
      const { arrivals, lastEnd } = await simulate(runs, RATE_LIMITS)
      const alone = await simulate([run(1_200)], RATE_LIMITS)
      expect(arrivals).toHaveLength(1_200)
      expectKept(runs, arrivals, RATE_LIMITS)
      // 1,000 in 20 s, the rest when the minute is over.
      expect(alone.lastEnd).toBeGreaterThanOrEqual(63_000)
      expect(lastEnd).toBeLessThanOrEqual(alone.lastEnd * 1.02)
      // Each has its turn whenever a window opens, until it has sent all it had.
      for (const [one] of runs.entries()) {
        const own = arrivals.filter(({ run, at }) => run === one && at < 20_000).map(({ at }) => at)
        const gaps = own.map((at, index) => at - (own[index - 1] ?? 0))
        expect(Math.max(...gaps)).toBeLessThan(1_100)
      }
    })

  it('share what equal shares allow, and leave the rest to others', async () => {
    const runs = [run(200, { share: 0.6 }), run(200, { share: 0.6 })]
    const { arrivals, lastEnd } = await simulate(runs, RATE_LIMITS)
    expectKept(runs, arrivals, RATE_LIMITS)
    // 30 a second together.
    expect(lastEnd).toBeGreaterThanOrEqual(13_000)
    expect(lastEnd).toBeLessThanOrEqual(14_000)
  })

  it('keep each its own share and the whole together, and leave nothing unused', async () => {
    const runs = [run(120, { share: 0.6 }), run(280, { share: 1 })]
    const { arrivals, lastEnd } = await simulate(runs, RATE_LIMITS)
    expectKept(runs, arrivals, RATE_LIMITS)
    // 400 at 50 a second; the place that waits for its own share keeps one of them.
    expect(lastEnd).toBeLessThanOrEqual(8_000 * 1.02)
  })

  it('go on after one of them was killed, and count what it had sent', async () => {
    const runs = [run(600, { diesAt: 4_010, wayMs: 75 }), run(600, { startsAt: 4_020, wayMs: 75 })]
    const { arrivals, lastEnd } = await simulate(runs, RATE_LIMITS)
    expectKept(runs, arrivals, RATE_LIMITS)
    expect(arrivals.filter((one) => one.run === 1)).toHaveLength(600)
    // Twelve bursts, after what was under way may have arrived.
    expect(lastEnd).toBeLessThanOrEqual(4_020 + LATE_ARRIVAL_MS + 1_000 + 12_000 * 1.1)
  })

  it('hold every window, whoever starts, dies and answers when', async () => {
    const limits = [
      { requests: 5, windowMs: 1_000 },
      { requests: 40, windowMs: 20_000 },
    ]
    const anyRun = fc.record(
      {
        share: fc.constantFrom(0.3, 0.6, 1),
        count: fc.integer({ min: 1, max: 60 }),
        startsAt: fc.integer({ min: 0, max: 8_000 }),
        wayMs: fc.integer({ min: 0, max: 200 }),
        diesAt: fc.integer({ min: 0, max: 20_000 }),
      },
      { requiredKeys: ['share', 'count', 'startsAt', 'wayMs'] },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(anyRun, { minLength: 1, maxLength: 4 }), async (runs) => {
        const { arrivals } = await simulate(runs, limits)
        expectKept(runs, arrivals, limits)
        for (const [index, { count, diesAt }] of runs.entries())
          if (diesAt === undefined) expect(arrivals.filter((one) => one.run === index)).toHaveLength(count)
      }),
      { numRuns: 60 },
    )
  })
})

describe('a place in line', () => {
  const limits = [{ requests: 1, windowMs: 1_000 }]
  /** A window and what is added to it: the tick of clocks, and half a thousandth for those that run apart. */
  const SECOND = 1_000 + GUARD_MS + 0.5
  function two() {
    const time = fakeTime()
    const openLog = commonLog()
    let pid = 1
    const budget = (more = {}): Budget =>
      createBudget({
        log: openLog(),
        limits,
        share: 1,
        clock: time.now,
        longestMs: 60_000,
        pid: pid++,
        isAlive: () => true,
        ...more,
      })
    return { time, budget }
  }

  it('is given back by whoever does not want it any more', () => {
    const { budget } = two()
    const [first, second] = [budget(), budget()]
    expect(first.waitMs()).toBeLessThanOrEqual(0)
    expect(second.waitMs()).toBeGreaterThan(0)
    first.leave()
    expect(second.waitMs()).toBeLessThanOrEqual(0)
  })

  it('is given back when the client is closed, but not what is under way', () => {
    const { budget } = two()
    const [first, second] = [budget(), budget()]
    first.waitMs()
    const id = first.start()
    first.waitMs()
    first.close()
    expect(second.waitMs()).toBeGreaterThan(0)
    first.end(id, 0)
    expect(second.waitMs()).toBeCloseTo(SECOND)
  })

  it('of a process that is gone ends after what it sent last may have arrived', () => {
    const { budget } = two()
    const dead = budget({ pid: 99 })
    dead.waitMs()
    dead.start()
    const living = budget({ isAlive: (pid: number) => pid !== 99 })
    expect(living.waitMs()).toBeCloseTo(LATE_ARRIVAL_MS + SECOND)
  })

  it('of another host is left alone: its pids say nothing here', () => {
    const { budget } = two()
    const other = budget({ pid: 99, host: 'elsewhere' })
    other.waitMs()
    const living = budget({ isAlive: () => false })
    expect(living.waitMs()).toBe(20)
  })

  it('is taken anew, behind the others, when it was waited in for too long to be safe', async () => {
    const { time, budget } = two()
    const [first, second] = [budget(), budget()]
    first.waitMs()
    const id = first.start()
    second.waitMs()
    time.at(150_000, () => undefined)
    await time.run()
    first.end(id, 0)
    const third = budget()
    third.waitMs()
    // The second stands behind the third now.
    second.waitMs()
    expect(third.waitMs()).toBeCloseTo(SECOND)
    expect(second.waitMs()).toBe(20)
  })
})
