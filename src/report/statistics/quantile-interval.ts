/** Fewer values than this say too little: the interval of a median is left out. */
export const fewestForInterval = 6

/**
 * The 95 % interval of a p-quantile by order statistics: the values at the ranks n·p ± 1.96·sqrt(n·p·(1-p)), rounded up
 * and counted from 1 (Conover, Practical Nonparametric Statistics, 3rd ed., section 3.2). No distribution is assumed and nothing
 * is random. `sorted` goes upwards. Null below 6 values.
 */
export function quantileInterval(sorted: readonly number[], p: number): [number, number] | null {
  const n = sorted.length
  if (n < fewestForInterval) return null
  const spread = 1.96 * Math.sqrt(n * p * (1 - p))
  const low = Math.max(1, Math.ceil(n * p - spread))
  const high = Math.min(n, Math.ceil(n * p + spread))
  return [sorted[low - 1]!, sorted[high - 1]!]
}
