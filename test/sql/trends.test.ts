import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { defined } from './defined.ts'
import { countTrend, mixChange } from './reference-trends.ts'

const { rows, value } = defined()
const weeksOf = (counts: readonly number[], days: readonly number[] = counts.map(() => 7)) =>
  counts.map((n, place) => ({ n, days: days[place]! }))
async function trendOf(weeks: readonly { n: number; days: number }[]) {
  const list = weeks.map(({ n, days }) => `{'n': ${n}, 'days': ${days}}`)
  return (await value(`count_trend([${list}])`)) as Record<string, number> | null
}
async function mixOf(weeks: readonly (readonly number[])[]) {
  const given = weeks.flatMap((row, week) => row.map((n, part) => `(${week}, 'part ${part}', ${n})`))
  const [row] = await rows(
    `with counts as (from (values ${given}) as t (week, part, n)) from mix_change(of_counts := 'counts')`,
  )
  return (row as Record<string, number> | undefined) ?? null
}
const numbers = (found: Record<string, unknown> | null) =>
  found && Object.fromEntries(Object.entries(found).map(([key, value]) => [key, Number(value)]))
/** Returns `wanted`, but with the value of `found` wherever both agree to four digits. */
const close = (wanted: Record<string, number> | null, found: Record<string, number> | null) =>
  wanted &&
  Object.fromEntries(
    Object.entries(wanted).map(([key, value]) => {
      const other = found?.[key] ?? Number.NaN
      return [key, Math.abs(other - value) <= 1e-4 * Math.abs(value) + 1e-6 ? other : value]
    }),
  )

describe('the slope of counts', () => {
  // statsmodels 0.15.0: sm.GLM(n, sm.add_constant(x), family=Poisson(), offset=log(days)).fit(scale='X2')
  // with x = (arange(1, W + 1) - (W + 1)/2)/4. With scipy 1.17.1 the values are exp(b),
  // exp(b ± stats.t.ppf(.975, W - 2)*se), 2*stats.t.sf(abs(b/se), W - 2) and the scale.
  test.each([
    [
      [12, 15, 9, 14, 21, 13, 10, 31, 12, 25, 27, 19, 30],
      undefined,
      [1.328, 1.06544, 1.65527, 0.016247, 1.99986],
    ],
    [
      [3, 1, 0, 0, 2, 5, 0, 1],
      [7, 7, 7, 7, 7, 7, 7, 10],
      [0.82914, 0.11577, 5.93848, 0.823607, 2.70346],
    ],
    [[40, 30, 20, 10, 5, 1, 0, 0], undefined, [0.09569, 0.04772, 0.19187, 0.000171, 1.1925]],
  ] as [number[], number[] | undefined, number[]][])(
    'equals the slope from statsmodels for %j',
    async (counts, days, wanted) => {
      const { ratio, low, high, p, phi, lag } = (await trendOf(weeksOf(counts, days)))!
      expect(ratio! / wanted[0]!).toBeCloseTo(1, 3)
      // Statsmodels ignores autocorrelation, so its intervals are narrower for autocorrelated weeks.
      if (lag === 0)
        for (const [place, found] of [ratio, low, high, p, phi].entries())
          expect(found! / wanted[place]!).toBeCloseTo(1, 3)
      else expect([low! < wanted[1]!, high! > wanted[2]!, p! > wanted[3]!]).toEqual([true, true, true])
    },
  )

  test('is null for few weeks, for few events or if all events are in one week', async () => {
    expect(await trendOf(weeksOf([9, 9, 9, 9, 9]))).toBeNull()
    expect(await trendOf(weeksOf([1, 1, 1, 1, 1, 1, 1]))).toBeNull()
    expect(await trendOf(weeksOf([0, 0, 0, 0, 0, 0, 40]))).toBeNull()
  })

  test('uses daily rates if weeks have unequal lengths', async () => {
    expect((await trendOf(weeksOf([7, 7, 7, 7, 7, 10], [7, 7, 7, 7, 7, 10])))!.ratio).toBeCloseTo(1, 9)
  })
})

describe('the test for a changed mix of severities', () => {
  // scipy 1.17.1 for halves a and b: chi2_contingency(correction=False) of [a.sum(0), b.sum(0)], of a and of b.
  // phi = max(1, (χ²a + χ²b)/df), p = stats.f.sf(χ²/(parts - 1)/phi, parts - 1, df).
  test('has the same result as SciPy for three severities over seven weeks', async () => {
    const weeks = [
      [3, 10, 20],
      [5, 12, 25],
      [2, 9, 30],
      [9, 10, 22],
      [8, 14, 20],
      [11, 9, 19],
      [0, 0, 3],
    ]
    expect(await mixOf(weeks)).toMatchObject({
      chi: expect.closeTo(9.13596, 5),
      phi: 1,
      df: 10,
      p: expect.closeTo(0.0389716, 6),
    })
  })

  test('is null for a single severity, few weeks or few incidents', async () => {
    expect(await mixOf(Array.from({ length: 8 }, () => [5]))).toBeNull()
    expect(await mixOf(Array.from({ length: 4 }, () => [50, 50]))).toBeNull()
    expect(await mixOf(Array.from({ length: 8 }, () => [1, 0]))).toBeNull()
  })
})

test('slopes and mix changes of random counts match an independent computation', {
  timeout: 300_000,
}, async () => {
  const count = fc.oneof({ weight: 3, arbitrary: fc.nat(30) }, { weight: 1, arbitrary: fc.constant(0) })
  const weeks = fc.array(fc.record({ n: count, days: fc.constantFrom(7, 9) }), {
    minLength: 5,
    maxLength: 20,
  })
  const table = fc.array(fc.tuple(count, count, count), { minLength: 5, maxLength: 16 })
  await fc.assert(
    fc.asyncProperty(weeks, table, async (counts, parts) => {
      const trend = numbers(await trendOf(counts))
      expect(trend).toEqual(close(countTrend(counts), trend))
      const mix = numbers(await mixOf(parts))
      expect(mix).toEqual(close(mixChange(parts), mix))
    }),
    { numRuns: 20, seed: 498 },
  )
})
