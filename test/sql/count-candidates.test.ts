import { describe, expect, test } from 'vitest'
import { defined } from './defined.ts'

const { rows } = defined()

describe('candidates for findings about counts', () => {
  const weeks = (now: number[], before: number[], topic: string, key: string, isShare = false) =>
    [
      ['current', now],
      ['previous', before],
    ].flatMap(([period, counts]) =>
      (counts as number[]).map(
        (n, place) =>
          `('${topic}', '${key}', null, '${key}', ${isShare}, '${String(period)}', ${place}::bigint, ${n}::bigint)`,
      ),
    )
  const candidates = async (given: string[], length = 8) => {
    const found =
      await rows(`with given as (from no_subject_counts() union all from (values ${given.join(', ')})),
        spans as (
          from no_weeks() union all select period, place, 7 from (values ('current'), ('previous')) p (period), range(${length}) w (place)
        )
      from count_candidates('given', 'spans') order by kind, topic, key`)
    return found as {
      kind: string
      key: string
      p: number
      value: number
      before: number
      estimate: number
    }[]
  }
  const usual = [4, 6, 5, 5, 7, 3, 5, 5]

  test('have the p-value of count_change, or 1 if the change cannot be significant', async () => {
    const many = usual.map((n) => 3 * n)
    const found = await candidates([
      ...weeks(many, usual, 'sources', 'tripled'),
      ...weeks(usual, usual.toReversed(), 'sources', 'same'),
    ])
    const list = (counts: number[]) => `[${counts.map((n) => `{'n': ${n}, 'days': 7e0}`).join(', ')}]`
    const [wanted] = await rows(
      `select unnest(count_change(${40 * 3}, 56, 40, 56, count_dispersion([${list(many)}, ${list(usual)}])))`,
    )
    const tripled = found.find((one) => one.kind === 'outside' && one.key === 'tripled')!
    expect(tripled).toMatchObject({ value: 120, before: 40 })
    expect(tripled.p).toBeCloseTo(wanted!.p as number, 12)
    expect(tripled.estimate).toBeCloseTo(wanted!.estimate as number, 12)
    expect(found.find((one) => one.kind === 'outside' && one.key === 'same')!.p).toBe(1)
  })

  test('include a spike in the last week even if the periods are similar', async () => {
    const found = await candidates(weeks([...usual.slice(1), 40], usual, 'sources', 'burst'))
    const week = found.find(({ kind }) => kind === 'week')!
    expect(week).toMatchObject({ value: 40 })
    expect(week.before).toBeCloseTo((40 - 4 + 40) / 15, 9)
    expect(week.p).toBeLessThan(1e-6)
  })

  test('compare the last four weeks separately, so that a late rise has a smaller p-value', async () => {
    const long = [...usual, ...usual, ...usual].slice(0, 13)
    const now = long.map((n, place) => (place < 8 ? n : 3 * n))
    const found = await candidates(
      [...weeks(now, long, 'sources', 'late'), ...weeks(long, long.toReversed(), 'sources', 'same')],
      13,
    )
    const of = (kind: string, key: string) => found.find((one) => one.kind === kind && one.key === key)!
    const four = now.slice(9).reduce((sum, n) => sum + n)
    expect(of('month', 'late')).toMatchObject({ value: four })
    expect(of('month', 'late').before).toBeCloseTo((long.reduce((sum, n) => sum + n) / 13) * 4, 9)
    expect(of('month', 'late').p).toBeLessThan(of('outside', 'late').p / 10)
    expect(of('month', 'same').p).toBe(1)
  })

  test('ignore the weeks before the first incident of a subject', async () => {
    const twenty = (length: number) => Array.from({ length }, () => 20)
    const before = [...twenty(9).fill(0), ...twenty(4)]
    const found = await candidates(weeks([...twenty(12), 23], before, 'sources', 'young'), 13)
    // The four weeks before the period are too few to compare the last four weeks with.
    expect(found.map(({ kind }) => kind)).toEqual(['outside', 'week'])
    expect(found).toMatchObject([
      { value: 263, before: 80 },
      { value: 23, before: 20 },
    ])
    expect(Math.min(...found.map(({ p }) => p))).toBeGreaterThan(0.1)
  })

  test('compare hours of the day by their share of all counts', async () => {
    const double = usual.map((n) => 2 * n)
    const found = await candidates([
      ...weeks(double, usual, 'hours', 'one', true),
      ...weeks(double, usual, 'hours', 'two', true),
      ...weeks(
        double.map((n) => 3 * n),
        usual,
        'hours',
        'three',
        true,
      ),
    ])
    const p = Object.fromEntries(found.map((one) => [one.key, one.p]))
    expect(p.three).toBeLessThan(0.01)
    expect(found.map(({ kind }) => kind)).toEqual(['outside', 'outside', 'outside'])
    expect(found.find(({ key }) => key === 'one')!.estimate ?? 0.5).toBeLessThan(1)
  })

  test('exclude the last week for periods of three weeks', async () => {
    expect((await candidates(weeks([9, 9], [1, 1], 'sources', 'short'), 2)).length).toBe(0)
    expect(
      (await candidates(weeks([9, 9, 9], [1, 1, 1], 'sources', 'short'), 3)).map(({ kind }) => kind),
    ).toEqual(['outside'])
  })
})
