import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Better } from '../../../src/judge/card-figures.ts'
import { pairOf } from '../../../src/judge/figure-values.ts'
import { changeOf } from '../../../src/page/sentences/change-sentences.ts'
import type { Value } from '../../../src/render/result.ts'
import { measureOf } from '../../../src/report/figure-sample.ts'
import { defaultSettings } from '../../../src/settings/settings.ts'
import type { Reader } from '../../../src/warehouse/read/reader.ts'
import { judgedResult } from '../../judge/judged-result.ts'
import { openReader } from '../../support/storage.ts'
import { warehouseFile } from '../../support/warehouse.ts'

let reader: Reader
beforeAll(async () => {
  reader = await openReader(await warehouseFile(async () => {}), { settings: defaultSettings })
})
afterAll(() => reader.close())

const context = { timezone: 'UTC', year: '2026' }
const at = { file: 'r.md', line: 1 }

async function judged(
  columns: Record<string, string>,
  before: Value[],
  now: Value[],
  better: Better,
  {
    isComparable = true,
    weeks = undefined as number[] | undefined,
    earlier = undefined as number[] | undefined,
  } = {},
) {
  const column = Object.keys(columns)[0]!
  const rows = [
    ['previous', ...before],
    ['current', ...now],
  ]
  const { result, figures } = await judgedResult(
    reader,
    { period: 'VARCHAR', ...columns },
    rows,
    column,
    weeks,
    earlier,
    isComparable,
  )
  return changeOf(result, column, pairOf(result, at), better, figures.of({ query: 'q', column })!, context)
}

const duration = { ttr: 'DOUBLE', ttr_sample: 'times_of' }
/** Durations spread over four weeks. */
const around = (middle: number, n: number) =>
  Array.from(
    { length: n },
    (_, i) =>
      `{'place': ${i % 4}, 'seconds': ${middle * Math.exp((((i * 7) % 11) - 5) / 5)}::double, 'is_open': false, 'part': 0, 'n': 1}`,
  )

describe('the weeks before both compared periods', () => {
  // 20 a week versus 10 for four weeks at dispersion 2 gives p = 4.2 % (t, df 6), with calm history 0.03 %.
  const varied = [0.6, 1.4, 0.8, 1.2]
  const weeksOf = (n: number) => `{map([0, 1, 2, 3], [${varied.map((part) => Math.round(part * n))}])}`
  const severe = { severe: 'BIGINT', severe_weeks: 'weeks_of' }
  const calm = Array.from({ length: 11 }, (_, week) => 9 + (week % 3))
  const wild = calm.map((n, week) => (week % 2) * 4 * n)

  test('determine the dispersion when all incidents are counted', async () => {
    const of = (earlier: number[] | undefined) =>
      judged({ n: 'BIGINT' }, [40], [80], 'lower', {
        weeks: varied.map((part) => Math.round(part * 10)),
        earlier,
      })
    expect(await of(undefined)).toMatchObject({ direction: 'none' })
    expect(await of(calm)).toMatchObject({ direction: 'up', tone: 'worse' })
    expect(await of(wild)).toMatchObject({ direction: 'none' })
    expect(await of([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])).toMatchObject({ direction: 'none' })
  })

  test('are ignored for a figure without its own counts for those weeks', async () => {
    const own = { ...severe, severe_earlier: 'earlier_weeks_of' }
    const places = calm.map((_, place) => place)
    const earlier = `{map([${places}], [${calm}])}`
    const of = (columns: Record<string, string>, more: Value[]) =>
      judged(columns, [40, weeksOf(10), ...more], [80, weeksOf(20), ...more], 'lower', { earlier: calm })
    expect(await of(severe, [])).toMatchObject({ direction: 'none' })
    expect(await of(own, [earlier])).toMatchObject({ direction: 'up' })
  })
})

describe('the verdict on durations', () => {
  test('is "faster" and better after a clear fall', async () => {
    const change = await judged(duration, [4000, around(4000, 99)], [2000, around(2000, 99)], 'lower')
    expect(change).toMatchObject({
      tone: 'better',
      direction: 'down',
      amount: '50%',
      words: '50% faster',
    })
    expect(await judged(duration, [2000, around(2000, 99)], [4000, around(4000, 99)], 'lower')).toMatchObject(
      {
        tone: 'worse',
        words: '100% slower',
      },
    )
  })

  test('is "no clear change" with an interval if there are few incidents', async () => {
    const change = await judged(duration, [4000, around(4000, 11)], [2700, around(2700, 19)], 'lower')
    expect(change).toMatchObject({
      tone: 'same',
      direction: 'none',
      amount: '',
      words: 'no clear change',
    })
    expect(change.verdict).toBe('no clear change')
    expect(change.note).toMatch(/^−\d+ to [+−]\d+%$/)
    expect(change.previous?.map(({ text }) => text)).toEqual(['1', 'h', '7', 'min'])
  })

  test('states a difference instead of a ratio if the previous median is 0 s', async () => {
    const change = await judged(duration, [0, around(0, 99)], [2000, around(2000, 99)], 'lower')
    expect(change).toMatchObject({ tone: 'worse', words: '33\u202fmin slower' })
  })

  test('is "too few" for seven incidents and "too short" for a single week', async () => {
    const few = await judged(duration, [5, around(5, 7)], [9, around(9, 99)], 'lower')
    expect(few).toMatchObject({ direction: 'none', verdict: 'too few to compare', note: '', previous: null })
    const list = (value: number) =>
      Array.from(
        { length: 20 },
        (_, i) => `{'place': 0, 'seconds': ${value + i}, 'is_open': false, 'part': 0, 'n': 1}`,
      )
    const change = await judged(duration, [14.5, list(5)], [909.5, list(900)], 'lower')
    expect(change).toMatchObject({ direction: 'none', verdict: 'too short to compare', previous: null })
  })
})

describe('the verdict on shares', () => {
  const share = {
    met: 'DOUBLE',
    met_n: 'BIGINT',
    met_weeks: 'share_weeks_of',
  }
  /** Weekly hits out of `n`. */
  const by = (hits: number[], n = 50): Value[] => {
    const weeks = `[${hits.map((_, week) => week)}]`
    const sum = hits.reduce((total, one) => total + one, 0)
    const maps = `{'hits': map(${weeks}, [${hits}]), 'n': map(${weeks}, [${hits.map(() => n)}])}`
    return [sum / (n * hits.length), BigInt(n * hits.length), maps]
  }
  test('states percentage points, and calls a rise better only with `better: higher`', async () => {
    const [half, more] = [by([25, 25, 25, 25]), by([35, 36, 34, 35])]
    expect(await judged(share, half, more, 'higher')).toMatchObject({
      tone: 'better',
      direction: 'up',
      amount: '20\u00a0points',
      words: '20\u00a0points higher',
    })
    expect((await judged(share, half, more, 'lower')).tone).toBe('worse')
    expect(await judged(share, by([2, 3, 2, 3], 5), by([3, 3, 3, 3], 5), 'higher')).toMatchObject({
      tone: 'same',
      words: 'no clear change',
    })
  })
  test('requires a larger change if weekly values are over-dispersed', async () => {
    const [wild, wilder] = [by([5, 45, 10, 40]), by([20, 50, 20, 50])]
    expect((await judged(share, wild, wilder, 'higher')).tone).toBe('same')
  })
  test('is "too short to compare" for two weeks', async () => {
    const bare = { met: 'DOUBLE', met_n: 'BIGINT' }
    expect(await judged(bare, [0.1, 200n], [0.9, 200n], 'higher')).toMatchObject({
      tone: 'same',
      verdict: 'not compared: weekly values are unknown',
    })
    const two = await judged(share, by([5, 5]), by([45, 45]), 'higher', { weeks: [25, 25] })
    expect(two).toMatchObject({ tone: 'same', verdict: 'too short to compare' })
    const few = await judged(share, by([0, 0, 0, 0], 2), by([1, 1, 1], 1), 'higher')
    expect(few).toMatchObject({ tone: 'same', verdict: 'too few to compare' })
  })
})

describe('the verdict on counts', () => {
  const count = { n: 'BIGINT' }
  test('is worse after a rise if lower is better, and otherwise neutral', async () => {
    expect(await judged(count, [100n], [200n], 'lower')).toMatchObject({
      tone: 'worse',
      direction: 'up',
      words: '100% more',
    })
    expect(await judged(count, [100n], [200n], 'neither')).toMatchObject({ tone: 'same', direction: 'up' })
    expect((await judged(count, [100n], [110n], 'lower')).direction).toBe('none')
  })

  test('is "no clear change" if weekly counts vary widely', async () => {
    expect((await judged(count, [100n], [150n], 'lower', { weeks: [0, 20, 0, 20] })).direction).toBe('none')
    expect((await judged(count, [100n], [150n], 'lower', { weeks: [50, 50] })).verdict).toBe(
      'too short to compare',
    )
  })

  test('depends on the weekly counts of the figure if available', async () => {
    const own = { n: 'BIGINT', n_weeks: 'weeks_of' }
    const map = (...counts: number[]) => `{map([0, 1, 2, 3], [${counts}])}`
    const steady = await judged(own, [100n, map(25, 25, 25, 25)], [200n, map(50, 50, 50, 50)], 'lower', {
      weeks: [0, 90, 0, 90],
    })
    expect(steady).toMatchObject({ tone: 'worse', amount: '100%' })
    const bursts = await judged(own, [100n, map(100, 0, 0, 0)], [200n, map(0, 200, 0, 0)], 'lower')
    expect(bursts.direction).toBe('none')
  })

  test('covers a change to or from 0, even if a period has no row', async () => {
    expect(await judged(count, [40n], [0n], 'lower')).toMatchObject({ tone: 'better', amount: '100%' })
    expect(await judged(count, [0n], [18n], 'lower')).toMatchObject({ tone: 'worse', words: '18 more' })
    expect(await judged(count, [null], [18n], 'lower')).toMatchObject({ tone: 'worse', words: '18 more' })
  })
})

test('the verdict on a figure states that previous data is missing', async () => {
  const change = await judged({ n: 'BIGINT' }, [1n], [1000n], 'lower', {
    isComparable: false,
  })
  expect(change).toMatchObject({
    tone: 'same',
    direction: 'none',
    previous: null,
    verdict: 'not compared: previous data missing or incomplete',
    words: 'not compared: previous data missing or incomplete',
  })
})

describe('a special verdict exists for', () => {
  test('a change that is significant at 5% but not at 1%, which is not colored', async () => {
    const slower = await judged({ n: 'BIGINT' }, [100n], [140n], 'lower', { weeks: [10, 12, 9, 11, 10, 8] })
    expect(slower).toMatchObject({
      verdict: 'possibly more',
      words: 'possibly 40% more',
      tone: 'same',
      direction: 'none',
      amount: '',
    })
    expect(slower.note).toMatch(/^\+\d+ to \+\d+%$/)
  })

  test('no difference, which is “about the same” or “no clear change”, depending on the sample size', async () => {
    const of = (n: bigint) => judged({ n: 'BIGINT' }, [n], [n], 'lower')
    expect((await of(4_000n)).verdict).toBe('about the same')
    expect((await of(40n)).verdict).toBe('no clear change')
  })

  test('a mean or p90, because only medians are compared', async () => {
    const [before, now] = [around(4000, 99), around(1000, 99)]
    expect(await judged(duration, [9_000, before], [2_500, now], 'lower')).toMatchObject({
      verdict: 'not compared: only medians are compared',
      note: '',
      previous: null,
      direction: 'none',
    })
  })

  test('an integer that does not count incidents', async () => {
    const own = { people: 'BIGINT', people_weeks: 'weeks_of' }
    const weeks = `{map([0, 1, 2, 3], [25, 25, 25, 25])}`
    expect(await judged(own, [9n, weeks], [40n, weeks], 'lower')).toMatchObject({
      verdict: 'not compared: weekly values are unknown',
      previous: null,
    })
  })

  test('equal times hide small changes of their median, so no interval is shown', async () => {
    const hour = Array.from(
      { length: 99 },
      (_, i) => `{'place': ${i % 4}, 'seconds': 3600::double, 'is_open': false, 'part': 0, 'n': 1}`,
    )
    expect(await judged(duration, [3600, hour], [3600, hour], 'lower')).toMatchObject({
      verdict: 'about the same',
      note: '',
      reach: 'many times are equal, so the median hides small changes',
    })
  })
})

test('the related columns of a figure determine whether the figure is a duration, share or count', () => {
  const columns = (...names: string[]) => names.map((name) => ({ name, type: 'DOUBLE' }))
  const sample = {
    name: 'ttr_sample',
    type: 'STRUCT("times_of" STRUCT("place" BIGINT, "seconds" DOUBLE, "n" BIGINT)[])',
  }
  expect(measureOf([...columns('ttr', 'ttr_n'), sample], 'ttr')).toBe('duration')
  expect(measureOf(columns('ttr', 'ttr_sample'), 'ttr')).toBeNull()
  expect(measureOf(columns('x', 'x_n'), 'x')).toBe('share')
  expect(measureOf(columns('x'), 'x')).toBeNull()
  for (const type of ['INTEGER', 'BIGINT', 'UBIGINT', 'HUGEINT', 'TINYINT'])
    expect(measureOf([{ name: 'n', type }], 'n')).toBe('count')
})
