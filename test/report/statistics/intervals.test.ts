import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { quantile } from '../../../src/report/statistics/quantile.ts'
import { quantileInterval } from '../../../src/report/statistics/quantile-interval.ts'
import { shareDifference } from '../../../src/report/statistics/share-difference.ts'
import { wilson } from '../../../src/report/statistics/wilson.ts'

const values = fc.array(fc.double({ min: 0, max: 1e9, noNaN: true }), { minLength: 1, maxLength: 60 })
const sorted = (list: readonly number[]) => list.toSorted((a, b) => a - b)

describe('quantile', () => {
  test('interpolates: the median of 10 and 100 is 55', () => {
    expect(quantile([10, 100], 0.5)).toBe(55)
    expect(quantile([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 0.9)).toBeCloseTo(9.1, 12)
    expect(quantile([], 0.5)).toBeNull()
  })

  test('lies between the ends and never falls as p grows', () => {
    fc.assert(
      fc.property(
        values,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (list, p, q) => {
          const up = sorted(list)
          const [low, high] = [quantile(up, Math.min(p, q))!, quantile(up, Math.max(p, q))!]
          expect(low).toBeGreaterThanOrEqual(up[0]!)
          expect(high).toBeLessThanOrEqual(up.at(-1)!)
          expect(low).toBeLessThanOrEqual(high * (1 + 1e-12))
        },
      ),
    )
  })
})

describe('interval of a quantile', () => {
  test('of 25 values is the 8th to the 18th, as the binomial distribution has it', () => {
    // n·p ± 1.96·sqrt(n/4) is 7.6 and 17.4. P(8 <= X < 18) for X of B(25, 1/2) is 0.957, and no narrower pair reaches 0.95.
    const up = Array.from({ length: 25 }, (_, index) => index + 1)
    expect(quantileInterval(up, 0.5)).toEqual([8, 18])
  })

  test('is left out below six values', () => {
    expect(quantileInterval([1, 2, 3, 4, 5], 0.5)).toBeNull()
    expect(quantileInterval([1, 2, 3, 4, 5, 6], 0.5)).not.toBeNull()
  })

  test('holds its median and is made of observed values', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1e6), { minLength: 6, maxLength: 80 }), (list) => {
        const up = sorted(list)
        const [low, high] = quantileInterval(up, 0.5)!
        const median = quantile(up, 0.5)!
        expect(low).toBeLessThanOrEqual(median)
        expect(high).toBeGreaterThanOrEqual(median)
        expect(up).toContain(low)
        expect(up).toContain(high)
      }),
    )
  })
})

describe('wilson', () => {
  test('42 of 50 is 71 to 92 %', () => {
    const [low, high] = wilson(42, 50)!
    expect(Math.round(low * 100)).toBe(71)
    expect(Math.round(high * 100)).toBe(92)
  })

  test('nothing of nothing has none', () => expect(wilson(0, 0)).toBeNull())

  test('holds the share, stays within 0 and 1, and mirrors', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (n, part) => {
          const successes = Math.floor(part * n)
          const [low, high] = wilson(successes, n)!
          expect(low).toBeGreaterThanOrEqual(0)
          expect(high).toBeLessThanOrEqual(1)
          expect(low).toBeLessThanOrEqual(successes / n + 1e-12)
          expect(high).toBeGreaterThanOrEqual(successes / n - 1e-12)
          const [mirrorLow] = wilson(n - successes, n)!
          expect(mirrorLow).toBeCloseTo(1 - high, 9)
        },
      ),
    )
  })
})

describe('difference of shares', () => {
  test('is the one of Newcombe’s example: 56/70 against 48/80 is 0.0524 to 0.3339', () => {
    const [low, high] = shareDifference({ successes: 56, n: 70 }, { successes: 48, n: 80 })!
    expect(low).toBeCloseTo(0.0524, 4)
    expect(high).toBeCloseTo(0.3339, 4)
  })

  test('turns its sign when the two are swapped, and is none without n', () => {
    const a = { successes: 3, n: 9 }
    const b = { successes: 20, n: 31 }
    const [low, high] = shareDifference(a, b)!
    expect(
      shareDifference(b, a)!
        .map((x) => -x)
        .reverse(),
    ).toEqual([expect.closeTo(low, 12), expect.closeTo(high, 12)])
    expect(shareDifference(a, { successes: 0, n: 0 })).toBeNull()
  })
})
