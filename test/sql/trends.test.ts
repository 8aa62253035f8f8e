import fc from 'fast-check'
import { expect, test } from 'vitest'
import { defined } from './defined.ts'
import { countTrend, mixChange } from './reference-trends.ts'

const { rows, value } = defined()
const weeksOf = (counts: readonly number[]) => counts.map((n) => ({ n, days: 7 }))
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

test('the slope of counts is null for few weeks, for few events or if all events are in one week', async () => {
  expect(await trendOf(weeksOf([9, 9, 9, 9, 9]))).toBeNull()
  expect(await trendOf(weeksOf([1, 1, 1, 1, 1, 1, 1]))).toBeNull()
  expect(await trendOf(weeksOf([0, 0, 0, 0, 0, 0, 40]))).toBeNull()
})

test('the test for a changed mix is null for a single severity, few weeks or few incidents', async () => {
  expect(await mixOf(Array.from({ length: 8 }, () => [5]))).toBeNull()
  expect(await mixOf(Array.from({ length: 4 }, () => [50, 50]))).toBeNull()
  expect(await mixOf(Array.from({ length: 8 }, () => [1, 0]))).toBeNull()
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
