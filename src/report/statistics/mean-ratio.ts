/** Mean and sample standard deviation of ln(seconds + 1), and how many. */
export interface LogMoments {
  n: number
  mean: number
  sd: number
}

/** Durations are close to log-normal; the + 1 keeps a duration of 0 s in. `sd` is 0 for one value. */
export function logMoments(seconds: readonly number[]): LogMoments {
  const n = seconds.length
  const logs = seconds.map((each) => Math.log1p(each))
  const mean = logs.reduce((sum, each) => sum + each, 0) / n
  const squares = logs.reduce((sum, each) => sum + (each - mean) ** 2, 0)
  return { n, mean, sd: n > 1 ? Math.sqrt(squares / (n - 1)) : 0 }
}

/**
 * The ratio of the geometric means of (seconds + 1), now over before, with its 95 % interval
 * exp(d ± 1.96·sqrt(s1²/n1 + s2²/n2)), d the difference of the means of the logarithms (the large-sample interval of
 * a difference of means, Welch 1938, taken on logarithms). Null when either side has fewer than 2 values.
 */
export function meanRatio(
  now: LogMoments,
  before: LogMoments,
): { ratio: number; low: number; high: number } | null {
  if (now.n < 2 || before.n < 2) return null
  const difference = now.mean - before.mean
  const spread = 1.96 * Math.sqrt(now.sd ** 2 / now.n + before.sd ** 2 / before.n)
  return {
    ratio: Math.exp(difference),
    low: Math.exp(difference - spread),
    high: Math.exp(difference + spread),
  }
}

/**
 * The smallest fall that would have shown with 80 % probability: 1 - exp(-2.8·s·sqrt(1/n1 + 1/n2)), with s the pooled
 * standard deviation of ln(seconds + 1); 2.8 is 1.96 + 0.84 (Lehr 1992, Stat. Med. 11, 1099–1102). 0.55 means 55 %.
 */
export function smallestDetectableFall(now: LogMoments, before: LogMoments): number | null {
  if (now.n < 2 || before.n < 2) return null
  const pooled = Math.sqrt(
    ((now.n - 1) * now.sd ** 2 + (before.n - 1) * before.sd ** 2) / (now.n + before.n - 2),
  )
  return 1 - Math.exp(-2.8 * pooled * Math.sqrt(1 / now.n + 1 / before.n))
}
