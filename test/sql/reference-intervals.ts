import { mean } from './reference-groups.ts'
import { t95 } from './reference-student.ts'

/**
 * Values at the ranks that the quantile is outside of at most one time in forty on either side, by the recursion of the
 * binomial probabilities; none where the sample has no such ranks, or fewer values than `fewest`.
 */
export function interval(
  sorted: readonly number[],
  p: number,
  fewest: number,
): [number, number] | [null, null] {
  const n = sorted.length
  const [low, high] = [lowestRank(n, p), n + 1 - lowestRank(n, 1 - p)]
  return n < fewest || low < 1 || high > n ? [null, null] : [sorted[low - 1]!, sorted[high - 1]!]
}

/** The highest rank that at most one sample in forty has above the quantile; 0 is none. */
function lowestRank(n: number, p: number): number {
  // By logarithms: half to the power of 2,000 is nothing.
  let log = n * Math.log(1 - p)
  let tail = 0
  let rank = 0
  while (tail + Math.exp(log) <= 0.025) {
    tail += Math.exp(log)
    rank++
    log += Math.log(((n - rank + 1) / rank) * (p / (1 - p)))
  }
  return rank
}

/** The mean ± t errors, both ends through the inverse of Hall's transformation with half as much skewness again. */
export function meanInterval(values: readonly number[], lowest?: number): [number, number] | [null, null] {
  const n = values.length
  const average = mean(values) ?? 0
  const about = (power: number) => values.reduce((sum, one) => sum + (one - average) ** power, 0)
  const deviation = Math.sqrt(about(2) / (n - 1))
  if (n < 20 || !(deviation > 0)) return [null, null]
  const skew = (n * about(3)) / ((n - 1) * (n - 2) * deviation ** 3)
  // g(x) = x + a x² + a² x³ / 3 + a / 2 of x = (mean - µ) / error, found where it is ± t.
  const a = (1.5 * skew) / (3 * Math.sqrt(n))
  const reach = t95(n - 1)
  const ends = [reach, -reach].map((end) => {
    let [low, high] = [-1e4, 1e4]
    for (let k = 0; k < 200; k++) {
      const x = (low + high) / 2
      if (x + a * x * x + (a * a * x ** 3) / 3 + a / 2 < end) low = x
      else high = x
    }
    return average - (low * deviation) / Math.sqrt(n)
  })
  return [Math.max(lowest ?? Number.NEGATIVE_INFINITY, ends[0]!), ends[1]!]
}
