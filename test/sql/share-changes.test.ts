import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { near } from './close-to.ts'
import { defined } from './defined.ts'
import { type ShareWeek, shareChange, shareDifference } from './reference-changes.ts'
import { wilson } from './reference-statistics.ts'

const { one, value } = defined()

const shareChangeOf = (now: readonly ShareWeek[], before: readonly ShareWeek[]) => {
  const listOf = (weeks: readonly ShareWeek[]) =>
    `[${weeks.map(({ hits, n }) => `{'hits': ${hits}, 'n': ${n}}`)}]`
  const sum = (weeks: readonly ShareWeek[], key: keyof ShareWeek) =>
    weeks.reduce((total, week) => total + week[key], 0)
  return `(select share_change(${sum(now, 'hits')}, ${sum(now, 'n')}, ${sum(before, 'hits')}, ${sum(before, 'n')}, dispersion)
    from (select share_dispersion([${listOf(before)}, ${listOf(now)}]) as dispersion))`
}

describe('changes in shares', () => {
  test('have Newcombe’s interval of 0.0524 to 0.3339 for 56/70 and 48/80', async () => {
    const change = (await value('share_change(56, 70, 48, 80)')) as { low: number; high: number }
    expect(change.low).toBeCloseTo(0.0524, 4)
    expect(change.high).toBeCloseTo(0.3339, 4)
  })

  test('have the opposite sign if the periods are swapped, and are null without trials', async () => {
    const [a, b] = (await value('[share_change(3, 9, 20, 31), share_change(20, 31, 3, 9)]')) as unknown as [
      Record<string, number>,
      Record<string, number>,
    ]
    expect(b).toEqual({
      estimate: expect.closeTo(-a.estimate!, 12),
      low: expect.closeTo(-a.high!, 12),
      high: expect.closeTo(-a.low!, 12),
      p: expect.closeTo(a.p!, 12),
      certainty: 0,
      is_small: false,
      verdict: 'no clear change',
    })
    expect(await value('share_change(3, 9, 0, 0)')).toBeNull()
  })

  test('are not significant if only one week rises, but significant if all weeks rise', async () => {
    const none = [30, 28, 31, 29].map((n) => ({ hits: 0, n }))
    const cluster = [280, 2, 3, 2].map((n) => ({ hits: n === 280 ? n : 0, n }))
    const all = none.map(({ n }) => ({ hits: n, n }))
    const p = async (now: ShareWeek[]) => (await one(`select ${shareChangeOf(now, none)}.p as p`)).p as number
    expect(await p(cluster)).toBeGreaterThan(0.05)
    expect(await p(all)).toBeLessThan(0.001)
  })

  test('use Wilson intervals that end exactly at 0 and 1', async () => {
    expect(
      await value(
        'list_bool_and([wilson_interval(n, n).high = 1 and wilson_interval(0, n).low = 0 for n in range(1, 400)])',
      ),
    ).toBe(true)
    expect(await value('wilson_interval(0, 0)')).toBeNull()
  })

  test('have the same p-value as in statsmodels, 0.008045 for 56/70 and 48/80', async () => {
    // statsmodels 0.15.0: proportions_ztest([56, 48], [70, 80])[1]
    expect(await value('share_change(56, 70, 48, 80).p')).toBeCloseTo(0.00804508, 7)
    expect(await value('share_change(0, 9, 0, 7).p')).toBe(1)
  })
})

test('intervals of random shares and their differences match an independent computation', async () => {
  const some = fc.array(fc.integer({ min: 0, max: 1e6 }), { minLength: 1, maxLength: 60, size: 'max' })
  await fc.assert(
    fc.asyncProperty(some, some, async (a, b) => {
      const [n, m] = [a.length, a.length + b.length]
      const share = shareDifference({ successes: n, n: m }, { successes: b.length, n: 2 * m })!
      expect(
        await one(
          `select wilson_interval(${n}, ${m}).low as share_low,
            share_change(${n}, ${m}, ${b.length}, ${2 * m}).low as change_low,
            share_change(${n}, ${m}, ${b.length}, ${2 * m}).high as change_high`,
        ),
      ).toEqual({ share_low: near(wilson(n, m)[0]), change_low: near(share[0]), change_high: near(share[1]) })
    }),
    { numRuns: 25, seed: 498 },
  )
})

test('changes in random weekly shares match an independent computation', { timeout: 300_000 }, async () => {
  const shareWeek = fc
    .tuple(fc.nat(40), fc.double({ min: 0, max: 1, noNaN: true }))
    .map(([n, share]) => ({ n, hits: Math.round(n * share) }))
  const shareWeeks = fc.array(shareWeek, { minLength: 1, maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(shareWeeks, shareWeeks, async (now, before) => {
      const wanted = shareChange(now, before)
      const found = (await value(shareChangeOf(now, before))) as Record<string, number> | null
      expect(found === null).toBe(wanted === null)
      if (found && wanted)
        for (const key of ['estimate', 'low', 'high', 'p'] as const)
          expect(found[key]).toBeCloseTo(wanted[key], 4)
    }),
    { numRuns: 20, seed: 498 },
  )
})
