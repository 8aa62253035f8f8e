import fc from 'fast-check'
import { expect, test } from 'vitest'
import { relative } from './close-to.ts'
import { defined } from './defined.ts'
import { interval, meanInterval } from './reference-intervals.ts'

const { one, rows, value } = defined()
const runs = { numRuns: 10, seed: 498 }

test('the interval of a quantile is exact for a million values', async () => {
  // Computed with scipy 1.17.1: binom.ppf(0.025, 1e6, 0.9) and n + 1 - binom.ppf(0.025, 1e6, 0.1).
  expect(await value('quantile_ranks(1000000, 0.9)')).toEqual({ low: 899412n, high: 900589n })
})

test('the interval of a mean is null if all values are equal', async () => {
  expect(await value('(select mean_interval(7) from range(30))')).toBeNull()
})

test('durations grouped by value with a count have the same figures as individual durations', {
  timeout: 60_000,
}, async () => {
  const seconds = fc.array(fc.option(fc.integer({ min: 0, max: 90 }), { freq: 9 }), {
    minLength: 1,
    maxLength: 80,
    // Generates long lists too, because intervals of the mean need 20 values.
    size: 'max',
  })
  const end = (which: string) => `coalesce(round(${which}, 6), -1)`
  await fc.assert(
    fc.asyncProperty(seconds, seconds, async (a, b) => {
      const listed = [a, b].flatMap((each, series) =>
        each.map((one) => `(${series}, ${one ?? 'null'}::double)`),
      )
      expect(
        await rows(
          `with listed as (select * from (values ${listed}) as t (series, x)),
            given as (select series, x as seconds, null as n from listed where x > 50 union all select series, x, count(*) from listed where (x > 50) is not true group by all),
            figures as (from duration_figures('given')),
            wanted as (
              select series, count(x) as n, avg(x) as mean, max(x) as longest, p90(x) as p90, quantile_cont(x, [0.1, 0.25, 0.5, 0.75]) as quantiles,
                quantile_interval(x, 0.5) as median, quantile_interval(x, 0.9) as of_p90, mean_interval(x, lowest := 0) as of_mean
              from listed group by series
            )
          select series from wanted join figures using (series) where figures.n <> wanted.n
            or [mean_s, max_s, p90_s, p10_s, p25_s, median_s, p75_s] is distinct from [mean, longest, p90, quantiles[1], quantiles[2], quantiles[3], quantiles[4]]
            or [median_low_s, median_high_s, p90_low_s, p90_high_s] is distinct from [median.low, median.high, of_p90.low, of_p90.high]
            or [${end('mean_low_s')}, ${end('mean_high_s')}] <> [${end('of_mean.low')}, ${end('of_mean.high')}]`,
        ),
      ).toEqual([])
    }),
    runs,
  )
})

test('intervals of quantiles and means of random values match an independent computation', async () => {
  const seconds = fc.array(fc.integer({ min: 0, max: 1e6 }), { minLength: 1, maxLength: 60, size: 'max' })
  await fc.assert(
    fc.asyncProperty(seconds, async (a) => {
      const row = await one(
        `select
          (select quantile_interval(x, 0.9) from unnest([${a}]) as t (x)) as p90,
          (select quantile_interval(x, 0.5) from unnest([${a}]) as t (x)) as median,
          (select mean_interval(x, lowest := 0) from unnest([${a}]) as t (x)) as mean`,
      )
      const sorted = a.toSorted((x, y) => x - y)
      const ends = ([low, high]: readonly (number | null)[]) => (low === null ? null : { low, high })
      const [low, high] = meanInterval(a, 0)
      const found = row.mean as { low: number; high: number } | null
      expect(row).toEqual({
        p90: ends(interval(sorted, 0.9, 6)),
        median: ends(interval(sorted, 0.5, 6)),
        mean: low === null ? null : { low: relative(low, found?.low), high: relative(high, found?.high) },
      })
    }),
    runs,
  )
})
