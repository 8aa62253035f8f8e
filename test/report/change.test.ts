import { describe, expect, test } from 'vitest'
import type { QueryResult, Value } from '../../src/render/result.ts'
import { type Better, changeOf, type Ground, measureOf } from '../../src/report/change.ts'
import { pairOf } from '../../src/report/figure.ts'

const ground: Ground = { comparable: true, dispersion: 1, context: { timezone: 'UTC', year: '2026' } }
const at = { file: 'r.md', line: 1 }

function judged(columns: Record<string, string>, before: Value[], now: Value[], better: Better, on = ground) {
  const names = Object.entries({ period: 'VARCHAR', ...columns }).map(([name, type]) => ({ name, type }))
  const result: QueryResult = {
    name: 'q',
    sql: '',
    columns: names,
    rows: [
      ['previous', ...before],
      ['current', ...now],
    ],
  }
  return changeOf(result, Object.keys(columns)[0]!, pairOf(result, at), better, on)
}

const duration = { ttr: 'DOUBLE', ttr_sample: 'DOUBLE[]' }
const around = (middle: number, n: number) =>
  Array.from({ length: n }, (_, i) => middle * Math.exp((((i * 7) % 11) - 5) / 5))

describe('durations', () => {
  test('a clear fall is faster, in words and in the direction that is better', () => {
    const change = judged(duration, [4000, around(4000, 99)], [2000, around(2000, 99)], 'lower')
    expect(change).toMatchObject({
      tone: 'better',
      direction: 'down',
      amount: '50\u202f%',
      words: '50\u202f% faster',
    })
    expect(judged(duration, [2000, around(2000, 99)], [4000, around(4000, 99)], 'lower')).toMatchObject({
      tone: 'worse',
      words: '100\u202f% slower',
    })
  })

  test('the same fall on few incidents is no finding, and says what would have been one', () => {
    const change = judged(duration, [4000, around(4000, 6)], [2000, around(2000, 6)], 'lower')
    expect(change).toMatchObject({
      tone: 'same',
      direction: 'none',
      amount: '',
      words: 'not detectably faster or slower',
    })
    expect(change.note).toMatch(/^a fall under \d\d\u202f% would not show$/)
    expect(change.previous?.map(({ text }) => text)).toEqual(['1', 'h', '7', 'min'])
  })

  test('a median that moved against the whole is no finding', () => {
    const change = judged(duration, [2000, around(4000, 99)], [2100, around(2000, 99)], 'lower')
    expect(change.direction).toBe('none')
  })

  test('one incident cannot be compared', () => {
    expect(judged(duration, [5, [5]], [9, [9]], 'lower').note).toBe('too few to compare')
  })
})

describe('shares', () => {
  const share = { met: 'DOUBLE', met_n: 'BIGINT' }
  test('change in points, up is better when it is', () => {
    expect(judged(share, [0.5, 200n], [0.7, 200n], 'higher')).toMatchObject({
      tone: 'better',
      direction: 'up',
      amount: '20\u202fpp',
      words: '20\u202fpp higher',
    })
    expect(judged(share, [0.5, 20n], [0.6, 20n], 'higher')).toMatchObject({
      tone: 'same',
      words: 'not detectably lower or higher',
    })
    expect(judged(share, [0.5, 200n], [0.7, 200n], 'lower').tone).toBe('worse')
  })
})

describe('counts', () => {
  const count = { n: 'BIGINT' }
  test('more is worse when fewer is better, and neither when it is neither', () => {
    expect(judged(count, [100n], [150n], 'lower')).toMatchObject({
      tone: 'worse',
      direction: 'up',
      words: '50\u202f% more',
    })
    expect(judged(count, [100n], [150n], 'neither')).toMatchObject({ tone: 'same', direction: 'up' })
    expect(judged(count, [100n], [110n], 'lower').direction).toBe('none')
  })

  test('where weeks differ wildly anyway, the same rise is noise', () => {
    expect(judged(count, [100n], [150n], 'lower', { ...ground, dispersion: 9 }).direction).toBe('none')
  })
})

test('without earlier data nothing is judged, however large the difference', () => {
  const change = judged({ n: 'BIGINT' }, [1n], [1000n], 'lower', { ...ground, comparable: false })
  expect(change).toMatchObject({
    tone: 'same',
    direction: 'none',
    previous: null,
    note: 'no earlier data',
    words: 'not known to be fewer or more',
  })
})

test('what stands beside a figure says what it is', () => {
  const columns = (...names: string[]) => names.map((name) => ({ name, type: 'DOUBLE' }))
  expect(measureOf(columns('ttr', 'ttr_sample', 'ttr_n'), 'ttr')).toBe('duration')
  expect(measureOf(columns('x', 'x_n'), 'x')).toBe('share')
  expect(measureOf(columns('x'), 'x')).toBeNull()
  for (const type of ['INTEGER', 'BIGINT', 'UBIGINT', 'HUGEINT', 'TINYINT'])
    expect(measureOf([{ name: 'n', type }], 'n')).toBe('count')
})
