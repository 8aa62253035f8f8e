import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { countRatio, dispersion } from '../../../src/report/statistics/count-ratio.ts'
import { logMoments, meanRatio, smallestDetectableFall } from '../../../src/report/statistics/mean-ratio.ts'
import { usualRange } from '../../../src/report/statistics/usual-range.ts'

const seconds = fc.array(fc.integer({ min: 0, max: 1e7 }), { minLength: 2, maxLength: 60 })

describe('ratio of geometric means', () => {
  test('says what the formula says', () => {
    // ln of (e^2, e^4) is 2 and 4: mean 3, sd sqrt(2); twice as long is ln 2 more.
    const before = { n: 2, mean: 3, sd: Math.SQRT2 }
    const now = { n: 50, mean: 3 + Math.LN2, sd: 1 }
    const spread = Math.exp(1.96 * Math.sqrt(1 / 50 + 2 / 2))
    const { ratio, low, high } = meanRatio(now, before)!
    expect(ratio).toBeCloseTo(2, 12)
    expect(low).toBeCloseTo(2 / spread, 12)
    expect(high).toBeCloseTo(2 * spread, 12)
    const moments = logMoments([Math.expm1(2), Math.expm1(4)])
    expect(moments.mean).toBeCloseTo(3, 12)
    expect(moments.sd).toBeCloseTo(Math.SQRT2, 12)
  })

  test('a sample against itself is no change, and swapping inverts', () => {
    fc.assert(
      fc.property(seconds, seconds, (a, b) => {
        const [x, y] = [logMoments(a), logMoments(b)]
        const same = meanRatio(x, x)!
        expect(same.low).toBeLessThanOrEqual(1)
        expect(same.high).toBeGreaterThanOrEqual(1)
        expect(meanRatio(x, y)!.ratio * meanRatio(y, x)!.ratio).toBeCloseTo(1, 9)
        expect(meanRatio(x, y)!.low * meanRatio(y, x)!.high).toBeCloseTo(1, 6)
      }),
    )
  })

  test('one value is not enough', () => expect(meanRatio(logMoments([5]), logMoments([5, 6]))).toBeNull())

  test('the smallest fall that would show shrinks with n', () => {
    const of = (n: number) => smallestDetectableFall({ n, mean: 7, sd: 1.3 }, { n, mean: 7, sd: 1.3 })!
    expect(of(42)).toBeCloseTo(1 - Math.exp(-2.8 * 1.3 * Math.sqrt(2 / 42)), 12)
    expect(Math.round(of(42) * 100)).toBe(55)
    expect(of(400)).toBeLessThan(of(42))
  })
})

describe('ratio of counts', () => {
  test('100 against 50 is a change, 12 against 9 is none', () => {
    expect(countRatio(100, 50)!.low).toBeGreaterThan(1)
    expect(countRatio(12, 9)!.low).toBeLessThan(1)
    expect(countRatio(0, 9)).toBeNull()
  })

  test('bursts widen it', () => {
    expect(dispersion([[5, 5, 5, 5]])).toBe(1)
    expect(dispersion([[0, 20, 0, 20], []])).toBeCloseTo(400 / 10 / 3, 9)
    expect(countRatio(100, 70, 13)!.low).toBeLessThan(countRatio(100, 70)!.low)
  })
})

describe('usual range', () => {
  const spike = [12, 15, 9, 14, 11, 13, 10, 31, 12]

  test('mean limits miss the spike, median limits catch it', () => {
    expect(usualRange(spike, { by: 'mean' })!.high).toBeCloseTo(34.7, 1)
    expect(usualRange(spike, { by: 'median' })!.high).toBeCloseTo(24.6, 1)
    expect(usualRange(spike)).toMatchObject({ by: 'median', centre: 12 })
  })

  test('from 20 points on the mean is used; below 6 there is none; the floor holds', () => {
    expect(usualRange(Array.from({ length: 20 }, (_, index) => index % 3))!.by).toBe('mean')
    expect(usualRange([1, 2, 3, 4, 5])).toBeNull()
    expect(usualRange([1, 9, 1, 9, 1, 9], { floor: 0 })!.low).toBe(0)
  })

  test('moves and stretches with the data', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 500 }), { minLength: 6, maxLength: 40 }),
        fc.integer({ min: 1, max: 9 }),
        (points, by) => {
          const range = usualRange(points)!
          const moved = usualRange(points.map((each) => each * by + 7))!
          expect(moved.high).toBeCloseTo(range.high * by + 7, 6)
          expect(moved.low).toBeCloseTo(range.low * by + 7, 6)
        },
      ),
    )
  })
})
