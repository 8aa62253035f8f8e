import { mean } from './reference-groups.ts'
import { t95 } from './reference-student.ts'

/**
 * Returns the 95 % interval of a quantile from binomial ranks, with at most 2.5 % on either side. Null if the sample
 * has no such ranks, or fewer values than `fewest`.
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

/** The highest rank that exceeds the quantile in at most 2.5 % of samples, or 0. */
function lowestRank(n: number, p: number): number {
  // In logarithms, because 0.5 to the power of 2,000 underflows.
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

/** Returns the t interval of the mean after Hall's transformation, with the skewness multiplied by 1.5. */
export function meanInterval(values: readonly number[], lowest?: number): [number, number] | [null, null] {
  const n = values.length
  const average = mean(values) ?? 0
  const about = (power: number) => values.reduce((sum, one) => sum + (one - average) ** power, 0)
  const deviation = Math.sqrt(about(2) / (n - 1))
  if (n < 20 || !(deviation > 0)) return [null, null]
  const skew = (n * about(3)) / ((n - 1) * (n - 2) * deviation ** 3)
  // Solves g(x) = ± t for x = (mean - µ) / error, where g(x) = x + a x² + a² x³ / 3 + a / 2.
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
