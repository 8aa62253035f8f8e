import type { DuckDBConnection } from '@duckdb/node-api'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { applyViews } from '../../src/warehouse/schema/views.ts'
import { createTables, rowsOf } from '../support/tables.ts'
import {
  countRatio,
  dispersion,
  logMoments,
  meanRatio,
  shareDifference,
  smallestDetectableFall,
  usualRange,
} from './reference-changes.ts'
import { interval } from './reference-durations.ts'
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

describe('durations', () => {
  test('the ratio of geometric means says what the formula says', async () => {
    // ln of (e^2, e^4) is 2 and 4: mean 3, sd sqrt(2); twice as long is ln 2 more.
    const before = `{n: 2, mean: 3, sd: ${Math.SQRT2}}`
    const now = `{n: 50, mean: ${3 + Math.LN2}, sd: 1.0}`
    const spread = Math.exp(1.96 * Math.sqrt(1 / 50 + 2 / 2))
    expect(await value(`duration_change(${now}, ${before})`)).toEqual({
      estimate: expect.closeTo(2, 12),
      low: expect.closeTo(2 / spread, 12),
      high: expect.closeTo(2 * spread, 12),
    })
    expect(await one(`select log_moments(x) as m from (values (exp(2) - 1), (exp(4) - 1)) t(x)`)).toEqual({
      m: { n: 2n, mean: expect.closeTo(3, 12), sd: expect.closeTo(Math.SQRT2, 12) },
    })
  })

  test('one value is not enough', async () => {
    const few = '{n: 1, mean: 3, sd: 0.0}'
    expect(await value(`duration_change(${few}, {n: 9, mean: 3, sd: 1.0})`)).toBeNull()
    expect(await value(`smallest_detectable_fall(${few}, {n: 9, mean: 3, sd: 1.0})`)).toBeNull()
  })

  test('with 42 incidents only a fall of 55 % would have shown, with more a smaller one', async () => {
    const of = (n: number) =>
      `smallest_detectable_fall({n: ${n}, mean: 7, sd: 1.3}, {n: ${n}, mean: 7, sd: 1.3})`
    expect(await value(of(42))).toBeCloseTo(1 - Math.exp(-2.8 * 1.3 * Math.sqrt(2 / 42)), 12)
    expect(await value(`round(${of(42)} * 100)`)).toBe(55)
    expect(await value(`${of(400)} < ${of(42)}`)).toBe(true)
  })
})

describe('counts', () => {
  test('100 against 50 is a change, 12 against 9 is none, and none is no ratio', async () => {
    expect(await value('change_direction(count_change(100, 50, 1), 1)')).toBe(1)
    expect(await value('change_direction(count_change(50, 100, 1), 1)')).toBe(-1)
    expect(await value('change_direction(count_change(12, 9, 1), 1)')).toBe(0)
    expect(await value('count_change(0, 9, 1)')).toBeNull()
    expect(await value('change_direction(count_change(0, 9, 1), 1)')).toBe(0)
  })

  test('bursts widen it', async () => {
    expect(await value('count_dispersion([[5, 5, 5, 5]])')).toBe(1)
    expect(await value('count_dispersion([[0, 20, 0, 20], []])')).toBeCloseTo(400 / 10 / 3, 9)
    expect(await value('count_dispersion([[0, 0], [7]])')).toBe(1)
    expect(await value('count_dispersion(null::bigint[][])')).toBe(1)
    expect(await value('count_change(100, 70, 13).low < count_change(100, 70, 1).low')).toBe(true)
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
    })
    expect(await value('share_change(3, 9, 0, 0)')).toBeNull()
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
    expect(await value('usual_range([1, 9, 1, 9, 1, 9], lowest := 0).low')).toBe(0)
  })
})

test('the interval of a median of 25 is the 8th to the 18th, and none below 6', async () => {
  const of = (n: number) => one(`select quantile_interval(i, 0.5) as i from range(1, ${n + 1}) as r (i)`)
  // n·p ± 1.96·sqrt(n/4) is 7.6 and 17.4. P(8 <= X < 18) for X of B(25, 1/2) is 0.957, and no narrower pair reaches 0.95.
  expect(await of(25)).toEqual({ i: { low: 8n, high: 18n } })
  expect(await of(5)).toEqual({ i: null })
})

test('every formula says what a second computation says', { timeout: 60_000 }, async () => {
  const seconds = fc.array(fc.integer({ min: 0, max: 1e6 }), { minLength: 1, maxLength: 40 })
  const limits = (one: { low: number; high: number } | null) => ({
    low: near(one?.low),
    high: near(one?.high),
  })
  await fc.assert(
    fc.asyncProperty(seconds, seconds, async (a, b) => {
      const [n, m] = [a.length, a.length + b.length]
      const row = await one(
        `with pair as (
            select
              (select log_moments(x) from unnest([${a}]) as t (x)) as now,
              (select log_moments(x) from unnest([${b}]) as t (x)) as before,
              (select quantile_interval(x, 0.9) from unnest([${a}]) as t (x)) as p90
          ) select
            duration_change(now, before).low as duration_low, duration_change(now, before).high as duration_high,
            smallest_detectable_fall(now, before) as fall,
            p90.low as p90_low, p90.high as p90_high,
            usual_range([${a}]).low as usual_low, usual_range([${a}]).high as usual_high,
            wilson_interval(${n}, ${m}).low as share_low,
            count_dispersion([[${a}], [${b}]]) as dispersion,
            count_change(${a[0]}, ${b[0]}, 3.5).low as count_low, count_change(${a[0]}, ${b[0]}, 3.5).high as count_high,
            share_change(${n}, ${m}, ${b.length}, ${2 * m}).low as change_low,
            share_change(${n}, ${m}, ${b.length}, ${2 * m}).high as change_high
          from pair`,
      )
      const [now, before] = [logMoments(a), logMoments(b)]
      const duration = limits(meanRatio(now, before))
      const count = limits(countRatio(a[0]!, b[0]!, 3.5))
      const share = shareDifference({ successes: n, n: m }, { successes: b.length, n: 2 * m })!
      const p90 = interval(
        a.toSorted((x, y) => x - y),
        0.9,
        6,
      )
      expect(row).toEqual({
        duration_low: duration.low,
        duration_high: duration.high,
        fall: near(smallestDetectableFall(now, before)),
        p90_low: near(p90[0]),
        p90_high: near(p90[1]),
        usual_low: near(usualRange(a)?.low),
        usual_high: near(usualRange(a)?.high),
        share_low: near(wilson(n, m)[0]),
        dispersion: expect.closeTo(dispersion([a, b]), 4),
        count_low: count.low,
        count_high: count.high,
        change_low: near(share[0]),
        change_high: near(share[1]),
      })
    }),
    runs,
  )
})
