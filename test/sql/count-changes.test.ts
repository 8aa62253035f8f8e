import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { relative } from './close-to.ts'
import { defined } from './defined.ts'
import { countChange, type Week } from './reference-changes.ts'

const { value } = defined()

const weeksOf = (weeks: readonly Week[]) =>
  `[${weeks.map(({ n, days }) => `{'n': ${n}, 'days': ${days}}`).join()}]`
const whole = (...counts: number[]) => counts.map((n) => ({ n, days: 7 }))
const countOf = (now: readonly Week[], before: readonly Week[]) => {
  const sum = (weeks: readonly Week[], key: keyof Week) => weeks.reduce((total, week) => total + week[key], 0)
  return `(select count_change(${sum(now, 'n')}, ${sum(now, 'days')}, ${sum(before, 'n')}, ${sum(before, 'days')}, dispersion)
    from (select count_dispersion([${weeksOf(before)}, ${weeksOf(now)}]) as dispersion))`
}

describe('count_change', () => {
  test('detects a change from 40 to 0 and from 0 to 18 in four weeks', async () => {
    expect(await value(`${countOf(whole(0, 0, 0, 0), whole(10, 12, 9, 9))}.p < 0.01`)).toBe(true)
    const risen = countOf(whole(4, 5, 4, 5), whole(0, 0, 0, 0))
    expect(
      await value(`(select r.p < 0.01 and isinf(r.estimate) and r.low > 1 from (select ${risen} as r))`),
    ).toBe(true)
    expect(await value(countOf(whole(0, 0, 0), whole(0, 0, 0)))).toBeNull()
  })

  test('compares counts per day, so 96 a day in January equals 96 a day in February', async () => {
    const january = [...whole(672, 672, 672), { n: 960, days: 10 }]
    expect(await value(`${countOf(whole(672, 672, 672, 672), january)}.estimate`)).toBeCloseTo(1, 12)
  })

  test('requires a larger change if the counts have spikes', async () => {
    const calm = countOf(whole(40, 40, 40, 40), whole(20, 20, 20, 20))
    const bursts = countOf(whole(5, 100, 5, 50), whole(0, 60, 0, 20))
    expect(await value(`${calm}.p < 0.01`)).toBe(true)
    expect(await value(`${bursts}.p > 0.05`)).toBe(true)
  })

  test('uses four weeks for a month of 28 to 31 days', async () => {
    for (const days of [28, 29, 30, 31]) {
      const end = `timestamptz '2026-01-01' + interval ${days} day`
      const week = `week_of_period(${end} - interval 1 second, timestamptz '2026-01-01', ${end})`
      expect(await value(week)).toBe(3)
    }
  })
})

test('count_change for random counts matches an independent computation', { timeout: 300_000 }, async () => {
  const weeks = fc.array(fc.record({ n: fc.nat(60), days: fc.constantFrom(7, 4, 10) }), {
    minLength: 2,
    maxLength: 8,
  })
  await fc.assert(
    fc.asyncProperty(weeks, weeks, async (now, before) => {
      const count = countChange(now, before)
      const change = (await value(countOf(now, before))) as Record<string, number> | null
      expect(change === null).toBe(count === null)
      if (change && count)
        for (const key of ['estimate', 'low', 'high', 'p'] as const)
          expect(change[key]).toEqual(relative(count[key], change[key]))
    }),
    { numRuns: 20, seed: 498 },
  )
})
