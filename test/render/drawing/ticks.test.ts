import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { logTicks, valueTicks } from '../../../src/render/drawing/ticks.ts'
import { bucketsOf, timeTicks } from '../../../src/render/drawing/time-axis.ts'
import type { Frame } from '../../../src/render/result.ts'

const labels = (max: number, as: 'duration' | 'number' | 'percent') =>
  valueTicks(max, as).map(({ label }) => label.replace(/[\u00a0\u202f]/g, ' '))

describe('value-axis ticks', () => {
  test('use round durations', () => {
    expect(labels(10_000, 'duration')).toEqual(['0', '1 h', '2 h', '3 h'])
    expect(labels(37_000, 'duration')).toEqual(['0', '3 h', '6 h', '9 h', '12 h'])
    expect(labels(25, 'duration')).toEqual(['0', '10 s', '20 s', '30 s'])
    expect(labels(30 * 86_400, 'duration')).toEqual(['0', '7 d', '14 d', '21 d', '28 d', '35 d'])
  })

  test('are integers for counts, and round numbers for shares', () => {
    expect(labels(1, 'number')).toEqual(['0', '1'])
    expect(labels(47, 'number')).toEqual(['0', '20', '40', '60'])
    expect(labels(1, 'percent')).toEqual(['0', '50%', '100%'])
    expect(labels(0, 'number')).toEqual(['0', '1'])
  })

  test('begin at 0, end at or above the largest value, and are evenly spaced', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1e-3, max: 1e8, noNaN: true }),
        fc.constantFrom('duration' as const, 'number' as const),
        (max, as) => {
          const values = valueTicks(max, as).map(({ value }) => value)
          expect(values[0]).toBe(0)
          expect(values.at(-1)!).toBeGreaterThanOrEqual(max * (1 - 1e-9))
          const step = values[1]!
          values.forEach((value, index) => {
            expect(value).toBeCloseTo(index * step, 6)
          })
          expect(values.length).toBeLessThanOrEqual(6)
        },
      ),
    )
  })

  test('keep a minimum distance on a log scale', () => {
    const at = (value: number) => Math.log10(value) * 40
    const ticks = logTicks([1, 1e7], 'duration', at, 50)
    for (let i = 1; i < ticks.length; i++)
      expect(at(ticks[i]!.value) - at(ticks[i - 1]!.value)).toBeGreaterThanOrEqual(50)
  })
})

describe('time-axis ticks', () => {
  const frame = { from: '2026-07-27', to: '2026-10-26', asOf: '2026-11-01T11:30:00' } as Frame
  const weeks = (first: string, count: number) => {
    const rows = Array.from({ length: count }, (_, index) => [
      new Date(Date.parse(first) + index * 7 * 86_400_000).toISOString().slice(0, 10),
    ])
    return bucketsOf(
      { name: 'q', sql: '', columns: [{ name: 'week', type: 'DATE' }], rows: rows.toReversed() },
      'week',
      frame,
    )!
  }

  const labelsOf = (ticks: readonly { label: string }[]) =>
    ticks.map(({ label }) => label.replace('\u00a0', ' ')).join(', ')

  test('fall at the start of months, with the year on the first tick', () => {
    const buckets = weeks('2026-04-27', 27)
    const ticks = timeTicks(buckets, (bucket) => buckets.indexOf(bucket) * 30, 2000)
    expect(labelsOf(ticks)).toBe('May 2026, Jun, Jul, Aug, Sep, Oct')
    expect(ticks[0]!.x).toBe(30)
  })

  test('show the year again at the first month of a new year', () => {
    const buckets = weeks('2026-11-02', 20)
    const ticks = timeTicks(buckets, (bucket) => buckets.indexOf(bucket) * 30, 2000)
    expect(labelsOf(ticks)).toBe('Nov 2026, Dec, Jan 2027, Feb, Mar')
  })

  test('omit a label that would extend beyond the right edge', () => {
    const buckets = weeks('2026-11-02', 12)
    const at = (bucket: (typeof buckets)[number]) => buckets.indexOf(bucket) * 30
    expect(labelsOf(timeTicks(buckets, at, 400))).toBe('Nov 2026, Dec, Jan 2027')
    expect(labelsOf(timeTicks(buckets, at, 300))).toBe('Nov 2026, Dec')
  })

  test('fall at regular month intervals, even on a narrow axis', () => {
    for (const first of ['2026-01-05', '2026-03-30', '2026-07-20'])
      for (let step = 2; step < 40; step++) {
        const buckets = weeks(first, 40)
        const ticks = timeTicks(buckets, (bucket) => buckets.indexOf(bucket) * step, 2000)
        const months = ticks.map(({ x }) => {
          const { at } = buckets[x / step]!
          return at.getUTCFullYear() * 12 + at.getUTCMonth()
        })
        const apart = months.slice(1).map((month, index) => month - months[index]!)
        expect(new Set(apart).size).toBeLessThanOrEqual(1)
      }
  })

  test('distinguish weeks of the previous period and the week still in progress', () => {
    const buckets = weeks('2026-07-13', 16)
    expect(buckets.filter(({ previous }) => previous).map(({ key }) => key)).toEqual([
      '2026-07-13',
      '2026-07-20',
    ])
    expect(buckets.filter(({ partial }) => partial).map(({ key }) => key)).toEqual(['2026-10-26'])
  })

  test('mark a month as in progress until it ends, unless the query returns `is_partial`', () => {
    const months = (rows: [string, boolean | null][], asOf: string) =>
      bucketsOf(
        {
          name: 'q',
          sql: '',
          columns: [
            { name: 'month', type: 'DATE' },
            { name: 'is_partial', type: 'BOOLEAN' },
          ],
          rows,
        },
        'month',
        { ...frame, asOf },
      )!.map(({ partial }) => partial)
    const [september, october] = ['2026-09-01', '2026-10-01']
    const during = '2026-10-30T12:00:00'
    expect(
      months(
        [
          [september, null],
          [october, null],
        ],
        during,
      ),
    ).toEqual([null, 'running'])
    expect(months([[october, null]], '2026-11-01T00:00:00')).toEqual([null])
    expect(
      months(
        [
          [september, true],
          [october, false],
        ],
        during,
      ),
    ).toEqual(['cut', null])
  })
})
