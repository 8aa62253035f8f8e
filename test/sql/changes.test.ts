import type { DuckDBConnection } from '@duckdb/node-api'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { applyViews } from '../../src/warehouse/schema/views.ts'
import { createTables, rowsOf } from '../support/tables.ts'
import { limits } from './reference-calendar.ts'
import {
  countChange,
  durationChange,
  type Observation,
  type ShareWeek,
  shareChange,
  shareDifference,
  usualRange,
  type Week,
} from './reference-changes.ts'
import { interval, meanInterval } from './reference-durations.ts'
import { wilson } from './reference-statistics.ts'

let connection: DuckDBConnection
beforeAll(async () => {
  connection = await createTables()
  await applyViews(connection)
})
const one = async (query: string) => (await rowsOf(connection, query))[0]!
const value = async (expression: string) => (await one(`select ${expression} as value`)).value
const runs = { numRuns: 25, seed: 498 }
const near = (wanted: number | null | undefined) =>
  wanted === null || wanted === undefined ? null : expect.closeTo(wanted, 6)

describe('distributions', () => {
  // scipy 1.17.1: t.sf(x, df)*2, norm.sf(x)*2, t.ppf(0.975, df), 2*min(binom.cdf, binom.sf).
  test.each([
    ['student_p(2.5, 3)', 0.08770664700806556],
    ['student_p(-8, 11.7)', 6.532217155384708e-6],
    ['student_p(0.1, 100)', 0.9205445310958511],
    ['normal_p(1.96)', 0.04999579029644087],
    ['binomial_p(0, 18, 0.5)', 7.62939453125e-6],
    ['binomial_p(7, 20, 0.4)', 0.8317858751150711],
  ])('%s is what SciPy says', async (expression, wanted) => {
    expect(Number(await value(expression)) / wanted).toBeCloseTo(1, 6)
  })

  test.each([
    [1, 12.7062],
    [5, 2.5706],
    [30, 2.0423],
    [31, 2.0395],
    [200, 1.9719],
  ])('t95(%d) is %d', async (df, wanted) => {
    expect(await value(`t95(${df})`)).toBeCloseTo(wanted, 3)
  })
})

/** Relation of observations as SQL. */
const observations = (all: readonly Observation[]) =>
  `select 'x' as series, * from (values ${all
    .map(({ isNow, place, seconds }) => `(${isNow}, ${place}, '${seconds}'::double, 1)`)
    .join()}) as t (is_now, place, seconds, n)`
const changeOf = (all: readonly Observation[]) =>
  one(`with observed as (${observations(all)}) select * exclude (series) from duration_changes('observed')`)
const weeksOf = (weeks: readonly Week[]) =>
  `[${weeks.map(({ n, days }) => `{'n': ${n}, 'days': ${days}}`).join()}]`
const whole = (...counts: number[]) => counts.map((n) => ({ n, days: 7 }))
const countOf = (now: readonly Week[], before: readonly Week[]) => {
  const sum = (weeks: readonly Week[], key: keyof Week) => weeks.reduce((total, week) => total + week[key], 0)
  return `(select count_change(${sum(now, 'n')}, ${sum(now, 'days')}, ${sum(before, 'n')}, ${sum(before, 'days')}, dispersion)
    from (select count_dispersion([${weeksOf(now)}, ${weeksOf(before)}]) as dispersion))`
}

/** The same of shares. */
const shareChangeOf = (now: readonly ShareWeek[], before: readonly ShareWeek[]) => {
  const listOf = (weeks: readonly ShareWeek[]) =>
    `[${weeks.map(({ hits, n }) => `{'hits': ${hits}, 'n': ${n}}`)}]`
  const sum = (weeks: readonly ShareWeek[], key: keyof ShareWeek) =>
    weeks.reduce((total, week) => total + week[key], 0)
  return `(select share_change(${sum(now, 'hits')}, ${sum(now, 'n')}, ${sum(before, 'hits')}, ${sum(before, 'n')}, dispersion)
    from (select share_dispersion([${listOf(now)}, ${listOf(before)}]) as dispersion))`
}

describe('durations', () => {
  const sample = (places: number, n: number, secondsOf: (k: number, isNow: boolean) => number) =>
    Array.from({ length: 2 * places * n }, (_, k): Observation => {
      const isNow = k % 2 === 0
      return { isNow, place: Math.floor(k / 2) % places, seconds: secondsOf(k, isNow) }
    })

  test('what is half as long in every week is shorter', async () => {
    const all = sample(5, 20, (k, isNow) => (100 + (k % 37)) * (isNow ? 1 : 2))
    expect(await changeOf(all)).toMatchObject({ verdict: 'shorter', ratio: expect.closeTo(0.5, 1) })
  })

  test('below 8 a side it is too few, below 3 weeks too short, whatever the difference', async () => {
    expect(await changeOf(sample(3, 2, (_, isNow) => (isNow ? 1 : 900)))).toMatchObject({
      verdict: 'too few to compare',
    })
    expect(await changeOf(sample(1, 200, (_, isNow) => (isNow ? 1 : 900)))).toMatchObject({
      verdict: 'too short to compare',
    })
  })

  test('from a median of 0 s it is longer, without a ratio', async () => {
    const found = await changeOf(sample(5, 30, (k, isNow) => (isNow ? 100 + k : 0)))
    expect(found).toMatchObject({ verdict: 'longer', ratio: null, median_before_s: 0 })
  })

  test('all alike is no change; with half open no median is known', async () => {
    expect(await changeOf(sample(4, 10, () => 60))).toMatchObject({ p: 1, verdict: 'about the same' })
    const open = await changeOf(sample(5, 30, (k, isNow) => (isNow ? Number.POSITIVE_INFINITY : 100 + k)))
    expect(open).toMatchObject({ verdict: 'longer', median_s: null, ratio: null })
  })

  test('of a rule of its own the ratio is that of its medians, and no change where the ranks go the other way', async () => {
    const all = sample(5, 20, (k, isNow) => (100 + (k % 37)) * (isNow ? 2 : 1))
    const of = (now: number | null, before: number) =>
      one(`with observed as (${observations(all)}),
        own as (select 'x' as series, ${now}::double as median_s, ${before}::double as median_before_s)
        select * exclude (series) from duration_changes('observed', of_medians := 'own')`)
    expect(await of(330, 150)).toMatchObject({
      verdict: 'longer',
      ratio: 2.2,
      median_s: 330,
      median_before_s: 150,
    })
    expect(await of(120, 240)).toMatchObject({ verdict: 'no clear change', ratio: 0.5 })
    expect(await of(null, 150)).toMatchObject({ verdict: 'longer', ratio: null, median_s: null })
  })
})

test('possibly needs the test as well as the interval', async () => {
  const said = (p: number) => value(`change_verdict(${p}, -1, true, false, 'fewer', 'more')`)
  expect(await Promise.all([0.009, 0.04, 0.06, 0.4].map(said))).toEqual([
    'fewer',
    'possibly fewer',
    'no clear change',
    'no clear change',
  ])
  // Two modes of nearly half each: the medians jump, 150 times as long in every week, where nearly nothing changed.
  const modes = Array.from({ length: 380 }, (_, k): Observation => {
    const [isNow, place, rank] = [k % 2 === 0, Math.floor(k / 2) % 10, Math.floor(k / 20)]
    return { isNow, place, seconds: rank < (isNow ? 9 : 10) ? 120 : 18_000 }
  })
  expect(await changeOf(modes)).toMatchObject({
    ratio: 150,
    ratio_low: 150,
    p: expect.closeTo(0.3, 1),
    verdict: 'no clear change',
  })
})

describe('counts', () => {
  test('40 to none and none to 18 in four weeks are changes', async () => {
    expect(await value(`${countOf(whole(0, 0, 0, 0), whole(10, 12, 9, 9))}.p < 0.01`)).toBe(true)
    const risen = countOf(whole(4, 5, 4, 5), whole(0, 0, 0, 0))
    expect(
      await value(`(select r.p < 0.01 and isinf(r.estimate) and r.low > 1 from (select ${risen} as r))`),
    ).toBe(true)
    expect(await value(countOf(whole(0, 0, 0), whole(0, 0, 0)))).toBeNull()
  })

  test('a dispersion is the same to the last digit in whatever order its series come', async () => {
    const series = Array.from({ length: 12 }, (_, k) => [k + 1, (5 * k) % 7, (3 * k) % 11, 4])
    const orders = [series, series.toReversed(), [...series.slice(5), ...series.slice(0, 5)]]
    const counts = orders.map((order) => `count_dispersion([${order.map((ns) => weeksOf(whole(...ns)))}])`)
    const shares = orders.map(
      (order) =>
        `share_dispersion([${order.map((ns) => `[${ns.map((hits, k) => `{'hits': ${hits}, 'n': ${hits + k + 3}}`)}]`)}])`,
    )
    for (const every of [counts, shares])
      expect(await value(`len(list_distinct([${every.map((found) => `${found}.phi`)}]))`)).toBe(1)
  })

  test('96 a day are as many in February as in January', async () => {
    const january = [...whole(672, 672, 672), { n: 960, days: 10 }]
    expect(await value(`${countOf(whole(672, 672, 672, 672), january)}.estimate`)).toBeCloseTo(1, 12)
  })

  test('bursts make a change harder to see', async () => {
    const calm = countOf(whole(40, 40, 40, 40), whole(20, 20, 20, 20))
    const bursts = countOf(whole(5, 100, 5, 50), whole(0, 60, 0, 20))
    expect(await value(`${calm}.p < 0.01`)).toBe(true)
    expect(await value(`${bursts}.p > 0.05`)).toBe(true)
  })

  test('a month has four weeks, whether of 28 or of 31 days', async () => {
    for (const days of [28, 29, 30, 31]) {
      const end = `timestamptz '2026-01-01' + interval ${days} day`
      const week = `week_of_period(${end} - interval 1 second, timestamptz '2026-01-01', ${end})`
      expect(await value(week)).toBe(3)
    }
  })
})

describe('shares', () => {
  test('the difference is the one of Newcombe’s example: 56/70 against 48/80 is 0.0524 to 0.3339', async () => {
    const change = (await value('share_change(56, 70, 48, 80)')) as { low: number; high: number }
    expect(change.low).toBeCloseTo(0.0524, 4)
    expect(change.high).toBeCloseTo(0.3339, 4)
  })

  test('turns its sign when the two are swapped, and is none without trials', async () => {
    const [a, b] = (await value('[share_change(3, 9, 20, 31), share_change(20, 31, 3, 9)]')) as unknown as [
      Record<string, number>,
      Record<string, number>,
    ]
    expect(b).toEqual({
      estimate: expect.closeTo(-a.estimate!, 12),
      low: expect.closeTo(-a.high!, 12),
      high: expect.closeTo(-a.low!, 12),
      p: expect.closeTo(a.p!, 12),
      verdict: 'no clear change',
    })
    expect(await value('share_change(3, 9, 0, 0)')).toBeNull()
  })

  test('of one cluster after none is no change, of all after none it is', async () => {
    const none = [30, 28, 31, 29].map((n) => ({ hits: 0, n }))
    const cluster = [280, 2, 3, 2].map((n) => ({ hits: n === 280 ? n : 0, n }))
    const all = none.map(({ n }) => ({ hits: n, n }))
    const p = async (now: ShareWeek[]) => (await one(`select ${shareChangeOf(now, none)}.p as p`)).p as number
    expect(await p(cluster)).toBeGreaterThan(0.05)
    expect(await p(all)).toBeLessThan(0.001)
  })

  test('the ends of none and of all are exact', async () => {
    expect(
      await value(
        'list_bool_and([wilson_interval(n, n).high = 1 and wilson_interval(0, n).low = 0 for n in range(1, 400)])',
      ),
    ).toBe(true)
  })

  test('is tested as by statsmodels: 56/70 against 48/80 has p 0.008045', async () => {
    // statsmodels 0.15.0: proportions_ztest([56, 48], [70, 80])[1]
    expect(await value('share_change(56, 70, 48, 80).p')).toBeCloseTo(0.00804508, 7)
    expect(await value('share_change(0, 9, 0, 7).p')).toBe(1)
  })
})

describe('the usual range', () => {
  const spike = '[12, 15, 9, 14, 11, 13, 10, 31, 12]'
  test('mean limits miss the spike, median limits catch it', async () => {
    expect(await value(`usual_range(${spike}, limits_by := 'mean').high`)).toBeCloseTo(34.7, 1)
    expect(await value(`usual_range(${spike}).high`)).toBeCloseTo(24.6, 1)
    expect(await value(`usual_range(${spike})."by"`)).toBe('median')
    expect(await value(`usual_range(${spike}).centre`)).toBe(12)
  })

  test('by the mean from 20 points on; judged from 12, drawn from 6; never below the lowest', async () => {
    expect(await value(`usual_range([i % 3 for i in range(20)])."by"`)).toBe('mean')
    expect(await value('usual_range(range(11)).is_judged')).toBe(false)
    expect(await value('usual_range(range(12)).is_judged')).toBe(true)
    expect(await value('usual_range([1, 2, 3, 4, 5])')).toBeNull()
    expect(await value('usual_range(null::double[])')).toBeNull()
  })

  test('has a width or is none', async () => {
    expect(await value('usual_range([30 for i in range(14)])')).toBeNull()
    expect(await value('usual_range([(i % 3) / 10 for i in range(14)]).is_judged')).toBe(true)
  })

  // scipy 1.17.1: n = sum, k = len, q = 0.005/k: low is the largest with binom.cdf(low - 1, n, 1/k) <= q, high the smallest with
  // binom.sf(high, n, 1/k) <= q; nothing here varies more than chance.
  test.each([
    ['three in a quarter', '[0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1]', null],
    ['one every other week', '[i % 2 for i in range(14)]', [0, 4]],
    ['30 every week', '[30 for i in range(14)]', [14, 49]],
    ['often 3, sometimes 7', '[if(i % 4 = 0, 7, 3) for i in range(16)]', [0, 12]],
  ])('of %s is that of chance, and none below 5', async (_, points, range) => {
    const usual = (await value(`usual_range(${points}, lowest := 0, are_counts := true)`)) as Record<
      string,
      unknown
    >
    expect(usual && [usual.low, usual.high, usual.by]).toEqual(range && [...range, 'count'])
  })

  test('is not what one storm makes of it', async () => {
    const storm = '[if(i = 12, 280, 2 + i % 2) for i in range(26)]'
    const { low, high } = (await value(`usual_range(${storm}, are_counts := true)`)) as unknown as Record<
      string,
      number
    >
    expect(low).toBeLessThanOrEqual(2)
    expect(high).toBeGreaterThanOrEqual(3)
    expect(high).toBeLessThan(280)
  })

  test('is never below the lowest', async () => {
    expect(await value('usual_range([1, 9, 1, 9, 1, 9], lowest := 0).low')).toBe(0)
  })
})

describe('the interval of a quantile', () => {
  const of = (n: number, p: number) =>
    value(`(select quantile_interval(i, ${p}) from range(1, ${n + 1}) as r (i))`)

  // scipy 1.17.1: stats.quantile_test(range(1, n + 1), q=0, p=p).confidence_interval(0.95), nan where we say null.
  test.each([
    [5, 0.5, null],
    [6, 0.5, [1n, 6n]],
    [10, 0.5, [2n, 9n]],
    [25, 0.5, [8n, 18n]],
    [200, 0.5, [86n, 115n]],
    [10, 0.9, null],
    [35, 0.9, null],
    [36, 0.9, [29n, 36n]],
    [50, 0.9, [41n, 50n]],
    [1000, 0.9, [881n, 919n]],
  ])('of %d values at %d is between the ranks that SciPy says', async (n, p, ranks) => {
    expect(await of(n, p)).toEqual(ranks && { low: ranks[0], high: ranks[1] })
  })

  test('is as quick and as exact for a million as for ten', async () => {
    // scipy 1.17.1: binom.ppf(0.025, 1e6, 0.9) and n + 1 - binom.ppf(0.025, 1e6, 0.1); binom.cdf below them is at most 0.025.
    expect(await value('quantile_ranks(1000000, 0.9)')).toEqual({ low: 899412n, high: 900589n })
  })
})

test('the interval of a mean takes the skewness out, and is none below 20', async () => {
  // numpy 2: t of stats.t.ppf(.975, 29), g = 1.5*stats.skew(x, bias=False), a = g/6/sqrt(30), ends mean - sem*(cbrt(1+6*a*(±t-a))-1)/2/a
  const cubes = (await value('(select mean_interval(x * x * x) from range(30) as r (x))')) as {
    low: number
    high: number
  }
  expect(cubes.low).toBeCloseTo(4039.752, 0)
  expect(cubes.high).toBeCloseTo(10156.84, 0)
  expect(await value('(select mean_interval(x) from range(19) as r (x))')).toBeNull()
  expect(await value('(select mean_interval(7) from range(30))')).toBeNull()
})

test('durations that are counted have the figures of those that are listed', {
  timeout: 60_000,
}, async () => {
  const seconds = fc.array(fc.option(fc.integer({ min: 0, max: 90 }), { freq: 9 }), {
    minLength: 1,
    maxLength: 80,
  })
  const end = (which: string) => `coalesce(round(${which}, 6), -1)`
  await fc.assert(
    fc.asyncProperty(seconds, seconds, async (a, b) => {
      const listed = [a, b].flatMap((each, series) =>
        each.map((one) => `(${series}, ${one ?? 'null'}::double)`),
      )
      expect(
        await rowsOf(
          connection,
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

test('every formula says what a second computation says', { timeout: 60_000 }, async () => {
  const seconds = fc.array(fc.integer({ min: 0, max: 1e6 }), { minLength: 1, maxLength: 60 })
  await fc.assert(
    fc.asyncProperty(seconds, seconds, async (a, b) => {
      const [n, m] = [a.length, a.length + b.length]
      const rare = a.map((one) => one % 5)
      const row = await one(
        `select
          (select quantile_interval(x, 0.9) from unnest([${a}]) as t (x)) as p90,
          (select quantile_interval(x, 0.5) from unnest([${a}]) as t (x)) as median,
          (select mean_interval(x, lowest := 0) from unnest([${a}]) as t (x)) as mean,
          usual_range([${rare}], lowest := 0, are_counts := true).low as rare_low,
          usual_range([${rare}], lowest := 0, are_counts := true).high as rare_high,
          usual_range([${a}]).low as usual_low, usual_range([${a}]).high as usual_high,
          wilson_interval(${n}, ${m}).low as share_low,
          share_change(${n}, ${m}, ${b.length}, ${2 * m}).low as change_low,
          share_change(${n}, ${m}, ${b.length}, ${2 * m}).high as change_high`,
      )
      const share = shareDifference({ successes: n, n: m }, { successes: b.length, n: 2 * m })!
      const sorted = a.toSorted((x, y) => x - y)
      const ends = ([low, high]: readonly (number | null)[]) => (low === null ? null : { low, high })
      const [low, high] = meanInterval(a, 0)
      const found = row.mean as { low: number; high: number } | null
      expect(row).toEqual({
        p90: ends(interval(sorted, 0.9, 6)),
        median: ends(interval(sorted, 0.5, 6)),
        mean: low === null ? null : { low: relative(low, found?.low), high: relative(high, found?.high) },
        rare_low: near(limits(rare, true)?.low),
        rare_high: near(limits(rare, true)?.high),
        usual_low: near(usualRange(a)?.low),
        usual_high: near(usualRange(a)?.high),
        share_low: near(wilson(n, m)[0]),
        change_low: near(share[0]),
        change_high: near(share[1]),
      })
    }),
    runs,
  )
})

test('every change says what a second computation says', { timeout: 60_000 }, async () => {
  const observation = fc.record({
    isNow: fc.boolean(),
    place: fc.integer({ min: 0, max: 4 }),
    seconds: fc.oneof(
      { weight: 6, arbitrary: fc.integer({ min: 0, max: 90 }) },
      { weight: 1, arbitrary: fc.constant(Number.POSITIVE_INFINITY) },
    ),
  })
  const weeks = fc.array(fc.record({ n: fc.nat(60), days: fc.constantFrom(7, 4, 10) }), {
    minLength: 2,
    maxLength: 8,
  })
  const shareWeek = fc
    .tuple(fc.nat(40), fc.double({ min: 0, max: 1, noNaN: true }))
    .map(([n, share]) => ({ n, hits: Math.round(n * share) }))
  const shareWeeks = fc.array(shareWeek, { minLength: 1, maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(
      fc.array(observation, { minLength: 1, maxLength: 120 }),
      weeks,
      weeks,
      shareWeeks,
      shareWeeks,
      async (all, now, before, hitsNow, hitsBefore) => {
        const wanted = durationChange(all)
        const found = await changeOf(all)
        expect(found).toEqual({
          ...wanted,
          ratio: near(wanted.ratio),
          ratio_low: relative(wanted.ratio_low, found.ratio_low),
          ratio_high: relative(wanted.ratio_high, found.ratio_high),
          p: near(wanted.p),
        })
        const count = countChange(now, before)
        const change = (await value(countOf(now, before))) as Record<string, number> | null
        expect(change === null).toBe(count === null)
        if (change && count)
          for (const key of ['estimate', 'low', 'high', 'p'] as const)
            expect(change[key]).toEqual(relative(count[key], change[key]))
        const share = shareChange(hitsNow, hitsBefore)
        const shareFound = (await value(shareChangeOf(hitsNow, hitsBefore))) as Record<string, number> | null
        expect(shareFound === null).toBe(share === null)
        if (shareFound && share)
          for (const key of ['estimate', 'low', 'high', 'p'] as const)
            expect(shareFound[key]).toBeCloseTo(share[key], 4)
      },
    ),
    { ...runs, numRuns: 20 },
  )
})

/** Within what a table of four decimals of Student's t leaves open. */
function relative(wanted: number | null, found: unknown): unknown {
  if (wanted === null || typeof found !== 'number' || !Number.isFinite(wanted)) return wanted
  return Math.abs(found - wanted) <= 1e-3 * Math.abs(wanted) + 1e-6 ? found : wanted
}
