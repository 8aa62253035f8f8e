import { quantile, wilson } from './reference-statistics.ts'

/**
 * The ratio of two counts, now over before, with its 95 % interval exp(ln(r) ± 1.96·sqrt(φ·(1/a + 1/b))), the log-normal
 * interval of a rate ratio (Rothman, Modern Epidemiology, 3rd ed., ch. 14) widened by the dispersion φ: incidents come
 * in bursts, and a plain Poisson interval would call every burst a change. Null when either count is 0.
 */
export function countRatio(
  now: number,
  before: number,
  dispersion = 1,
): { ratio: number; low: number; high: number } | null {
  if (now <= 0 || before <= 0) return null
  const ratio = now / before
  const spread = 1.96 * Math.sqrt(Math.max(1, dispersion) * (1 / now + 1 / before))
  return { ratio, low: ratio * Math.exp(-spread), high: ratio * Math.exp(spread) }
}

/**
 * How much more counts per bucket vary than a Poisson process would let them: Pearson's χ² over its degrees of freedom
 * (McCullagh and Nelder, Generalized Linear Models, 2nd ed., section 6.2.3), each group around its own mean.
 * At least 1; 1 when there is too little to tell.
 */
export function dispersion(groups: readonly (readonly number[])[]): number {
  let chi = 0
  let freedom = 0
  for (const counts of groups) {
    const mean = counts.reduce((sum, each) => sum + each, 0) / counts.length
    if (counts.length < 2 || mean === 0) continue
    chi += counts.reduce((sum, each) => sum + (each - mean) ** 2 / mean, 0)
    freedom += counts.length - 1
  }
  return freedom === 0 ? 1 : Math.max(1, chi / freedom)
}

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

/** `successes` out of `n`. */
export interface Share {
  successes: number
  n: number
}

/**
 * The 95 % interval of the difference of two shares, now minus before: Newcombe (1998), Interval estimation for the
 * difference between independent proportions, Stat. Med. 17, 873–890, method 10. Null when either has no n.
 */
export function shareDifference(now: Share, before: Share): [number, number] | null {
  if (now.n === 0 || before.n === 0) return null
  const a = wilson(now.successes, now.n)
  const b = wilson(before.successes, before.n)
  const p = now.successes / now.n
  const q = before.successes / before.n
  return [p - q - Math.hypot(p - a[0], b[1] - q), p - q + Math.hypot(a[1] - p, q - b[0])]
}

export interface UsualRange {
  low: number
  centre: number
  high: number
  by: 'mean' | 'median'
}

/**
 * The limits of an individuals chart (XmR): mean ± 2.66·mean moving range, or median ± 3.145·median moving range
 * (Wheeler, Understanding Variation, 2nd ed., and Advanced Topics in Statistical Process Control, table A.6). Below 20
 * points the medians are used, so that one spike does not widen the range enough to hide itself. The lower limit is
 * not below `floor`. Null below 6 points.
 */
export function usualRange(
  points: readonly number[],
  options: { by?: 'mean' | 'median'; floor?: number } = {},
): UsualRange | null {
  if (points.length < 6) return null
  const by = options.by ?? (points.length < 20 ? 'median' : 'mean')
  const moves = points.slice(1).map((point, index) => Math.abs(point - points[index]!))
  const centre = by === 'mean' ? mean(points) : middle(points)
  const reach = by === 'mean' ? 2.66 * mean(moves) : 3.145 * middle(moves)
  return {
    low: Math.max(options.floor ?? Number.NEGATIVE_INFINITY, centre - reach),
    centre,
    high: centre + reach,
    by,
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, each) => sum + each, 0) / values.length
}

function middle(values: readonly number[]): number {
  return quantile(values, 0.5)!
}
