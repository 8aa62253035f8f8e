import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { near } from './close-to.ts'
import { defined } from './defined.ts'
import { limits } from './reference-calendar.ts'

const { one, value } = defined()

describe('the expected range', () => {
  const spike = '[12, 15, 9, 14, 11, 13, 10, 31, 12]'
  test('detects a spike with limits based on the median, but not with limits based on the mean', async () => {
    expect(await value(`usual_range(${spike}, limits_by := 'mean').high`)).toBeCloseTo(34.7, 1)
    expect(await value(`usual_range(${spike}).high`)).toBeCloseTo(24.6, 1)
    expect(await value(`usual_range(${spike})."by"`)).toBe('median')
    expect(await value(`usual_range(${spike}).centre`)).toBe(12)
  })

  test('is null with fewer than 6 points, and flags outliers only with 12 or more', async () => {
    expect(await value(`usual_range([i % 3 for i in range(20)])."by"`)).toBe('mean')
    expect(await value('usual_range(range(11)).is_judged')).toBe(false)
    expect(await value('usual_range(range(12)).is_judged')).toBe(true)
    expect(await value('usual_range([1, 2, 3, 4, 5])')).toBeNull()
    expect(await value('usual_range(null::double[])')).toBeNull()
  })

  test('is null if all points are equal', async () => {
    expect(await value('usual_range([30 for i in range(14)])')).toBeNull()
    expect(await value('usual_range([(i % 3) / 10 for i in range(14)]).is_judged')).toBe(true)
  })

  test('is not widened by a single spike', async () => {
    const storm = '[if(i = 12, 280, 2 + i % 2) for i in range(26)]'
    const { low, high } = (await value(`usual_range(${storm}, are_counts := true)`)) as unknown as Record<
      string,
      number
    >
    expect(low).toBeLessThanOrEqual(2)
    expect(high).toBeGreaterThanOrEqual(3)
    expect(high).toBeLessThan(280)
  })

  test('is never below `lowest`', async () => {
    expect(await value('usual_range([1, 9, 1, 9, 1, 9], lowest := 0).low')).toBe(0)
  })
})

test('expected ranges of random points match an independent computation', async () => {
  const some = fc.array(fc.integer({ min: 0, max: 1e6 }), { minLength: 1, maxLength: 60, size: 'max' })
  await fc.assert(
    fc.asyncProperty(some, async (points) => {
      const rare = points.map((one) => one % 5)
      const usual = limits(points, false, Number.NEGATIVE_INFINITY)
      expect(
        await one(
          `select
            usual_range([${rare}], lowest := 0, are_counts := true).low as rare_low,
            usual_range([${rare}], lowest := 0, are_counts := true).high as rare_high,
            usual_range([${points}]).low as usual_low, usual_range([${points}]).high as usual_high`,
        ),
      ).toEqual({
        rare_low: near(limits(rare, true)?.low),
        rare_high: near(limits(rare, true)?.high),
        usual_low: near(usual?.low),
        usual_high: near(usual?.high),
      })
    }),
    { numRuns: 25, seed: 498 },
  )
})
