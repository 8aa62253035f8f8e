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

// scipy.stats.beta.ppf(0.025, hits, trials - hits + 1) and beta.ppf(0.975, hits + 1, trials - hits).
test.each([
  [70, 612, 0.09025713363444465, 0.14229314681993394],
  [1, 8, 0.0031597235312519063, 0.5265096708752065],
  [7, 8, 0.47349032912479344, 0.9968402764687481],
  [551, 612, 0.873809129771809, 0.9228980551692066],
  [2375, 2704, 0.8654108949248602, 0.8904204475691235],
  [300000, 310000, 0.9671139685185433, 0.9683611383532824],
  [1, 1, 0.025, 1],
  [0, 10, 0, 0.3084971078187607],
])('the exact CI for %d of %d equals that of SciPy', async (hits, trials, low, high) => {
  const found = await intervalOf(hits, trials)
  expect(found[0]).toBeCloseTo(low, 9)
  expect(found[1]).toBeCloseTo(high, 9)
})

test('the exact CI of a share is null if there are no trials', async () => {
  expect(await value('exact_interval(0, 0)')).toBeNull()
})
