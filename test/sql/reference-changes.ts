import { wilson } from './reference-statistics.ts'
import { t95, twoSided } from './reference-student.ts'

/** A week's count and its length in days. */
export interface Week {
  n: number
  days: number
}

const countOf = (weeks: readonly Week[]) => weeks.reduce((sum, { n }) => sum + n, 0)
const daysOf = (weeks: readonly Week[]) => weeks.reduce((sum, { days }) => sum + days, 0)

/** Pearson's chi squared over its degrees of freedom. */
export interface Dispersion {
  chi: number
  df: number
}

/** The larger p of independent events and of dispersed ones. */
export const dispersedP = (score: number, { chi, df }: Dispersion) =>
  Math.max(twoSided(score), chi === 0 ? 0 : twoSided(score / Math.sqrt(chi / df), df))
/** The wider of the two intervals, in standard errors of independent events. */
export const dispersedZ = ({ chi, df }: Dispersion) => Math.max(1.96, t95(df) * Math.sqrt(chi / df))

/** Pearson's dispersion of weekly counts, each period around its own rate a day. */
export function dispersion(periods: readonly (readonly Week[])[]): Dispersion {
  let chi = 0
  let df = 0
  for (const weeks of periods.filter(({ length }) => length >= 2)) {
    const rate = countOf(weeks) / daysOf(weeks)
    if (rate > 0) for (const { n, days } of weeks) chi += (n - rate * days) ** 2 / (rate * days)
    df += weeks.length - 1
  }
  return { chi, df }
}

/** The ratio of two rates a day, its interval, and the larger p of the score test and the exact one of bursts. */
export function countChange(now: readonly Week[], before: readonly Week[]) {
  const [a, b, days, daysBefore] = [countOf(now), countOf(before), daysOf(now), daysOf(before)]
  const weekly = dispersion([now, before])
  if (a + b === 0 || weekly.df < 1) return null
  const share = days / (days + daysBefore)
  const score = (a - (a + b) * share) / Math.sqrt((a + b) * share * (1 - share))
  const [low, high] = wilson(a, a + b, dispersedZ(weekly))
  const ratioOf = (part: number) => ((part / (1 - part)) * daysBefore) / days
  const [x, y] = [a, b].map((n) => Math.round(n / Math.max(1, weekly.chi / weekly.df))) as [number, number]
  const tails = [exactTail(x, x + y, share), exactTail(y, x + y, 1 - share)]
  const exact = x + y > 2_000 ? 0 : Math.min(1, 2 * Math.min(...tails))
  return {
    estimate: b === 0 ? Number.POSITIVE_INFINITY : a / days / (b / daysBefore),
    low: ratioOf(low),
    high: b === 0 ? Number.POSITIVE_INFINITY : ratioOf(high),
    p: Math.max(exact, dispersedP(score, weekly)),
  }
}

/** How likely at most so many hits are, by the recursion of the binomial probabilities. */
function exactTail(hits: number, trials: number, share: number): number {
  let term = (1 - share) ** trials
  let sum = term
  for (let k = 1; k <= hits; k++) {
    term *= ((trials - k + 1) / k) * (share / (1 - share))
    sum += term
  }
  return sum
}

/** `successes` out of `n`. */
export interface Share {
  successes: number
  n: number
}

/** A week's hits and trials. */
export interface ShareWeek {
  hits: number
  n: number
}

const shareOf = (weeks: readonly ShareWeek[]): Share => ({
  successes: weeks.reduce((sum, { hits }) => sum + hits, 0),
  n: weeks.reduce((sum, { n }) => sum + n, 0),
})

/** Pearson's dispersion of weekly shares, each period around its own. Weeks without trials are no weeks. */
export function shareDispersion(periods: readonly (readonly ShareWeek[])[]): Dispersion {
  let chi = 0
  let df = 0
  const shares = (weeks: readonly ShareWeek[]) => shareOf(weeks).successes / shareOf(weeks).n
  const every = periods.map((all) => all.filter(({ n }) => n > 0)).filter(({ length }) => length >= 2)
  const varying = every.filter((weeks) => shares(weeks) > 0 && shares(weeks) < 1)
  for (const weeks of varying.length > 0 ? varying : every) {
    const p = shares(weeks)
    if (varying.length > 0) for (const { hits, n } of weeks) chi += (hits - n * p) ** 2 / (n * p * (1 - p))
    df += weeks.length - 1
  }
  return { chi, df }
}

/** The change of a share whose weeks are known; null when either has no n, or no week can be compared with another. */
export function shareChange(now: readonly ShareWeek[], before: readonly ShareWeek[]) {
  const weekly = shareDispersion([now, before])
  const [a, b] = [shareOf(now), shareOf(before)]
  const interval = weekly.df < 1 ? null : shareDifference(a, b, dispersedZ(weekly))
  if (interval === null) return null
  const [p, q, both] = [a.successes / a.n, b.successes / b.n, (a.successes + b.successes) / (a.n + b.n)]
  const spread = Math.sqrt(both * (1 - both) * (1 / a.n + 1 / b.n))
  return {
    estimate: p - q,
    low: interval[0],
    high: interval[1],
    p: spread === 0 ? 1 : dispersedP((p - q) / spread, weekly),
  }
}

/**
 * The 95 % interval of the difference of two shares, now minus before: Newcombe (1998), Interval estimation for the
 * difference between independent proportions, Stat. Med. 17, 873–890, method 10. Null when either has no n.
 * @param z standard errors of each Wilson interval
 */
export function shareDifference(now: Share, before: Share, z?: number): [number, number] | null {
  if (now.n === 0 || before.n === 0) return null
  const a = wilson(now.successes, now.n, z)
  const b = wilson(before.successes, before.n, z)
  const p = now.successes / now.n
  const q = before.successes / before.n
  return [p - q - Math.hypot(p - a[0], b[1] - q), p - q + Math.hypot(a[1] - p, q - b[0])]
}
