import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  BACKOFF_MOST_MS,
  decide,
  type Outcome,
  parseRetryAfter,
  parseServiceTime,
  THROTTLED_LEAST_MS,
} from '../../src/client/retry.ts'

const usual = {
  attempt: 1,
  garbled: 0,
  timeouts: 0,
  elapsedMs: 0,
  maxRetryMs: 180_000,
  writes: false,
  random: 0.5,
}
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
const retryAfterMs = fc.option(fc.integer({ min: 0, max: 60_000 }), { nil: undefined })
const passing: fc.Arbitrary<Outcome> = fc.oneof(
  fc.record({ kind: fc.constantFrom('throttled' as const, 'failed' as const), retryAfterMs }),
  fc.record({ kind: fc.constantFrom('lost' as const, 'unreached' as const) }),
)

describe('the retry policy', () => {
  it('retries a read after any transient failure, until the deadline', () => {
    fc.assert(
      fc.property(passing, fc.integer({ min: 1, max: 60 }), random, (outcome, attempt, chance) => {
        const decision = decide({ ...usual, outcome, attempt, random: chance })
        expect(decision.retry).toBe(true)
        if (!decision.retry) return
        const asked = 'retryAfterMs' in outcome ? (outcome.retryAfterMs ?? 0) : 0
        expect(decision.waitMs).toBeGreaterThanOrEqual(asked)
        expect(decision.waitMs).toBeLessThanOrEqual(Math.max(asked, THROTTLED_LEAST_MS + BACKOFF_MOST_MS))
      }),
    )
  })

  it('never waits beyond the deadline', () => {
    fc.assert(
      fc.property(passing, fc.integer({ min: 0, max: 400_000 }), random, (outcome, elapsedMs, chance) => {
        const decision = decide({ ...usual, outcome, elapsedMs, attempt: 5, random: chance })
        if (decision.retry) expect(elapsedMs + decision.waitMs).toBeLessThanOrEqual(usual.maxRetryMs)
        else expect(decision.why).toBe('deadline')
      }),
    )
  })

  it('uses full jitter, and doubles the wait up to a maximum', () => {
    const wait = (attempt: number, chance: number) =>
      decide({ ...usual, outcome: { kind: 'lost' }, attempt, random: chance })
    expect(wait(1, 0)).toEqual({ retry: true, waitMs: 0 })
    expect(wait(1, 0.5)).toEqual({ retry: true, waitMs: 250 })
    expect(wait(3, 0.5)).toEqual({ retry: true, waitMs: 1_000 })
    expect(wait(50, 0.5)).toEqual({ retry: true, waitMs: 10_000 })
  })

  it('continues retries for over a minute after 429s without Retry-After, whatever the jitter', () => {
    fc.assert(
      fc.property(fc.array(random, { minLength: 200, maxLength: 200 }), (dice) => {
        let elapsedMs = 0
        for (const [index, chance] of dice.entries()) {
          const outcome: Outcome = { kind: 'throttled', retryAfterMs: undefined }
          const decision = decide({ ...usual, outcome, attempt: index + 1, elapsedMs, random: chance })
          if (!decision.retry) break
          elapsedMs += decision.waitMs
        }
        expect(elapsedMs).toBeGreaterThan(60_000)
      }),
    )
  })

  it('repeats a write only if the service cannot have performed it', () => {
    const write = (outcome: Outcome) => decide({ ...usual, writes: true, outcome })
    expect(write({ kind: 'throttled', retryAfterMs: undefined }).retry).toBe(true)
    expect(write({ kind: 'unreached' }).retry).toBe(true)
    expect(write({ kind: 'lost' })).toEqual({ retry: false, why: 'unsafe' })
    expect(write({ kind: 'failed', retryAfterMs: 1_000 })).toEqual({ retry: false, why: 'unsafe' })
  })

  it('retries until the third unreadable response, whatever other failures occurred', () => {
    const garbled = (count: number, attempt = count) =>
      decide({ ...usual, outcome: { kind: 'garbled' }, garbled: count, attempt }).retry
    expect([garbled(1), garbled(2), garbled(3), garbled(1, 9)]).toEqual([true, true, false, true])
  })

  it('never retries an error classified as final', () => {
    expect(decide({ ...usual, outcome: { kind: 'final' } })).toEqual({ retry: false, why: 'final' })
  })
})

describe('parseRetryAfter', () => {
  const now = Date.parse('2026-11-21T12:00:00Z')
  it.each([
    ['0', 0],
    [' 7 ', 7_000],
    ['Sat, 21 Nov 2026 12:00:30 GMT', 30_000],
    ['Saturday, 21-Nov-26 12:00:30 GMT', 30_000],
    ['Sat Nov 21 12:00:30 2026', 30_000],
    ['Sat, 21 Nov 2026 11:00:00 GMT', 0],
    ['Mon, 31 Nov 2026 12:00:30 GMT', undefined],
    ['-5', undefined],
    ['1.5', undefined],
    ['soon', undefined],
    ['', undefined],
    ['99999999999999999999', 1e23],
    [undefined, undefined],
  ])('reads %j as %j ms', (header, expected) => {
    expect(parseRetryAfter(header, now)).toBe(expected)
  })
})

describe('parseServiceTime', () => {
  it.each(['Sat, 21 Nov 2026 12:00:30 GMT', 'Saturday, 21-Nov-26 12:00:30 GMT', 'Sat Nov 21 12:00:30 2026'])(
    'reads %s',
    (header) => {
      expect(parseServiceTime(header)).toBe(Date.parse('2026-11-21T12:00:30Z'))
    },
  )

  it.each([
    undefined,
    '',
    'noon',
    '1',
    '2026-11-21T12:00:30Z',
    'Sat, 30 Feb 2026 12:00:00 GMT',
    'Sat, 21 Nov 2026 25:00:00 GMT',
    'Thu, 01 Jan 1970 00:00:00 GMT',
    'Thu, 01 Jan 1970 00:00:01 GMT',
    'Fri, 31 Dec 9999 23:59:59 GMT',
  ])('returns null for %j', (header) => {
    expect(parseServiceTime(header)).toBeNull()
  })
})
