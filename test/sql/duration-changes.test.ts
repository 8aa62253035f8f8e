import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { near, relative } from './close-to.ts'
import { defined } from './defined.ts'
import { durationChange, type Observation } from './reference-duration-changes.ts'

const { one, value } = defined()

const observations = (all: readonly Observation[]) =>
  `select 'x' as series, * from (values ${all
    .map(({ isNow, place, seconds, isOpen }) => `(${isNow}, ${place}, ${seconds}::double, ${isOpen}, 1)`)
    .join()}) as t (is_now, place, seconds, is_open, n)`
const changeOf = (all: readonly Observation[]) =>
  one(
    `with observed as (${observations(all)}) select * exclude (series, parts, parts_less, parts_more, at_mix) from duration_changes('observed')`,
  )

describe('duration_changes', () => {
  const sample = (places: number, n: number, secondsOf: (k: number, isNow: boolean) => number) =>
    Array.from({ length: 2 * places * n }, (_, k): Observation => {
      const isNow = k % 2 === 0
      const seconds = secondsOf(k, isNow)
      const isOpen = seconds === Number.POSITIVE_INFINITY
      return { isNow, place: Math.floor(k / 2) % places, seconds: isOpen ? 9_999 : seconds, isOpen }
    })

  test('reports shorter durations if the durations of every week are halved', async () => {
    const all = sample(5, 20, (k, isNow) => (100 + (k % 37)) * (isNow ? 1 : 2))
    expect(await changeOf(all)).toMatchObject({ verdict: 'shorter', ratio: expect.closeTo(0.5, 1) })
  })

  test('does not compare periods with fewer than 8 durations or under 3 weeks', async () => {
    expect(await changeOf(sample(3, 2, (_, isNow) => (isNow ? 1 : 900)))).toMatchObject({
      verdict: 'too few to compare',
    })
    expect(await changeOf(sample(1, 200, (_, isNow) => (isNow ? 1 : 900)))).toMatchObject({
      verdict: 'too short to compare',
    })
  })

  test('reports longer durations without a ratio if the previous median was 0 s', async () => {
    const found = await changeOf(sample(5, 30, (k, isNow) => (isNow ? 100 + k : 0)))
    expect(found).toMatchObject({ verdict: 'longer', ratio: null, median_before_s: 0 })
  })

  test('reports equal durations as about the same, and no median if all incidents are open', async () => {
    expect(await changeOf(sample(4, 10, () => 60))).toMatchObject({ p: 1, verdict: 'about the same' })
    const open = await changeOf(sample(5, 30, (k, isNow) => (isNow ? Number.POSITIVE_INFINITY : 100 + k)))
    expect(open).toMatchObject({ verdict: 'longer', median_s: null, ratio: null })
  })

  test('reports no clear change if the ranks contradict the ratio of custom medians', async () => {
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

test('the verdict `possibly` requires that both the test and the interval show a change', async () => {
  const said = (p: number) =>
    value(`change_verdict(change_certainty(${p}, -1, true), -1, false, 'fewer', 'more')`)
  expect(await Promise.all([0.009, 0.04, 0.06, 0.4].map(said))).toEqual([
    'fewer',
    'possibly fewer',
    'no clear change',
    'no clear change',
  ])
  // Nearly half of the durations are short and nearly half are long, so a tiny change moves the median by a factor of
  // 150.
  const modes = Array.from({ length: 380 }, (_, k): Observation => {
    const [isNow, place, rank] = [k % 2 === 0, Math.floor(k / 2) % 10, Math.floor(k / 20)]
    return { isNow, place, seconds: rank < (isNow ? 9 : 10) ? 120 : 18_000, isOpen: false }
  })
  expect(await changeOf(modes)).toMatchObject({
    ratio: 150,
    ratio_low: expect.closeTo(0.125, 3),
    p: expect.closeTo(0.3, 1),
    verdict: 'no clear change',
  })
})

test('duration_changes for random durations matches an independent computation', {
  timeout: 300_000,
}, async () => {
  const observation = fc.record({
    isNow: fc.boolean(),
    place: fc.integer({ min: 0, max: 4 }),
    seconds: fc.integer({ min: 0, max: 90 }),
    isOpen: fc.oneof(
      { weight: 6, arbitrary: fc.constant(false) },
      { weight: 1, arbitrary: fc.constant(true) },
    ),
    isEarlier: fc.boolean(),
  })
  const moved = (one: Observation & { isEarlier: boolean }): Observation =>
    one.isEarlier && !one.isNow ? { ...one, place: one.place - 9 } : one
  await fc.assert(
    fc.asyncProperty(fc.array(observation, { minLength: 1, maxLength: 120 }), async (drawn) => {
      const all = drawn.map(moved)
      const wanted = durationChange(all)
      const found = await changeOf(all)
      expect(found).toEqual({
        ...wanted,
        ratio: near(wanted.ratio),
        ratio_low: relative(wanted.ratio_low, found.ratio_low),
        ratio_high: relative(wanted.ratio_high, found.ratio_high),
        p: near(wanted.p),
        lag: near(wanted.lag),
      })
    }),
    { numRuns: 20, seed: 498 },
  )
})
