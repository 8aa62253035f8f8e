import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fixedLimiter, slidingLimiter } from '../../src/sandbox/request-limiter.ts'
import { Stats } from '../../src/sandbox/request-stats.ts'
import { NOW, open } from '../support/sandbox.ts'

/** Largest number of `times` in any window, by brute force. */
function most(times: readonly number[], windowMs: number): number {
  return Math.max(0, ...times.map((end) => times.filter((at) => at > end - windowMs && at <= end).length))
}

const arrivals = fc
  .array(fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 40 }), fc.integer({ min: 200, max: 30_000 })), {
    maxLength: 400,
  })
  .map((gaps) => {
    let at = 0
    return gaps.map((gap) => (at += gap))
  })

describe('the sliding-window limiter of the sandbox', () => {
  test('accepts a request if and only if both windows have room', () => {
    const limits = [
      { requests: 5, windowMs: 1_000 },
      { requests: 20, windowMs: 60_000 },
    ] as const
    fc.assert(
      fc.property(arrivals, (times) => {
        const limiter = slidingLimiter(limits as never)
        const accepted: number[] = []
        for (const at of times) {
          const room = limits.every(
            ({ requests, windowMs }) => accepted.filter((one) => one > at - windowMs).length < requests,
          )
          expect(limiter.take(at) === 0).toBe(room)
          if (room) accepted.push(at)
        }
      }),
    )
  })

  test('returns the waiting time to the millisecond', () => {
    const limiter = slidingLimiter()
    for (let k = 0; k < 50; k++) expect(limiter.take(100 + k)).toBe(0)
    expect(limiter.take(200)).toBe(900)
    expect(limiter.take(1_099)).toBe(1)
    expect(limiter.take(1_100)).toBe(0)
  })
})

test('the fixed-window limiter of the sandbox accepts twice the limit around a window boundary', () => {
  const limiter = fixedLimiter()
  const accepted = Array.from({ length: 120 }, (_, k) => 990 + k * 0.2).filter((at) => limiter.take(at) === 0)
  expect(accepted.length).toBe(100)
})

test('the sandbox statistics report the exact peak request rates', () => {
  fc.assert(
    fc.property(arrivals, (times) => {
      const stats = new Stats()
      for (const at of times) stats.offered(at)
      const { most_in_1s, most_in_60s } = stats.report()
      expect([most_in_1s.offered, most_in_60s.offered]).toEqual([most(times, 1_000), most(times, 60_000)])
    }),
    { numRuns: 50 },
  )
})

describe('the sandbox with rate limits', () => {
  test('accepts 50 of 120 simultaneous requests and answers the rest with 429', async () => {
    const service = await open({ limits: true })
    const began = performance.now()
    const answers = await Promise.all(
      Array.from({ length: 120 }, () => service.post('/member/list', { limit: 1 })),
    )
    const seconds = (performance.now() - began) / 1_000
    const refused = answers.filter((one) => one.status === 429)
    expect(answers.filter((one) => one.status === 200).length).toBe(120 - refused.length)
    if (seconds < 1) expect(refused.length).toBe(70)
    for (const { body, headers } of refused) {
      expect(body.error).toEqual({ code: 'RequestTooFrequently', message: 'Request too frequently.' })
      expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
    }
    const stats = service.stats()
    expect(stats.most_in_1s.accepted).toBeLessThanOrEqual(50)
    expect(stats).toMatchObject({ rate_limited: refused.length, beyond_limits: refused.length })
    expect(stats.requests).toBe(120)
  })

  test('limits all keys of an account together, but not the control endpoints', async () => {
    const service = await open({ limits: true, retryAfter: false })
    const keys = [service.appKey, service.key('none')]
    const answers = await Promise.all(
      Array.from({ length: 80 }, (_, k) => service.post('/member/list', { limit: 1 }, keys[k % 2])),
    )
    const refused = answers.filter((one) => one.status === 429)
    expect(refused.length).toBeGreaterThan(0)
    expect(refused[0]!.headers.get('retry-after')).toBeNull()
    const clocks = await Promise.all(Array.from({ length: 80 }, () => service.control('clock')))
    expect(clocks.every((one) => one.now === NOW)).toBe(true)
  })

  test('does not count a request without a valid key', async () => {
    const service = await open({ limits: true })
    await Promise.all(Array.from({ length: 60 }, () => service.post('/member/list', {}, 'nobody')))
    expect((await service.post('/member/list', { limit: 1 })).status).toBe(200)
  })
})
