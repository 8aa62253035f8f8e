import fc from 'fast-check'
import { expect, test } from 'vitest'
import { defined } from './defined.ts'
import { exactInterval } from './reference-statistics.ts'

const { one, value } = defined()

async function intervalOf(hits: number, trials: number) {
  const { low, high } = await one(`select unnest(exact_interval(${hits}, ${trials}))`)
  return [low, high] as [number, number]
}

test('the bounds of the exact CI of a share are the roots of both binomial tails', async () => {
  const counts = fc.nat({ max: 400 }).chain((n) => fc.tuple(fc.nat({ max: n + 1 }), fc.constant(n + 1)))
  await fc.assert(
    fc.asyncProperty(counts, async ([hits, trials]) => {
      const [low, high] = await intervalOf(hits, trials)
      const [expectedLow, expectedHigh] = exactInterval(hits, trials)
      expect(low).toBeCloseTo(expectedLow, 9)
      expect(high).toBeCloseTo(expectedHigh, 9)
    }),
    { numRuns: 60 },
  )
})

test('the exact CI of a share of 310,000 trials equals that of SciPy', async () => {
  // scipy.stats.beta.ppf(0.025, hits, trials - hits + 1) and beta.ppf(0.975, hits + 1, trials - hits).
  const [low, high] = await intervalOf(300_000, 310_000)
  expect(low).toBeCloseTo(0.9671139685185433, 9)
  expect(high).toBeCloseTo(0.9683611383532824, 9)
})

test('the exact CI of a share is null if there are no trials', async () => {
  expect(await value('exact_interval(0, 0)')).toBeNull()
})
