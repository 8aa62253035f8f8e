import { exactTail, wilson } from './reference-statistics.ts'
import { t95, twoSided } from './reference-student.ts'

export interface Week {
  n: number
  days: number
}

const countOf = (weeks: readonly Week[]) => weeks.reduce((sum, { n }) => sum + n, 0)
const daysOf = (weeks: readonly Week[]) => weeks.reduce((sum, { days }) => sum + days, 0)

/** Variance of a sum of weeks relative to independent events, with its degrees of freedom. */
export interface Dispersion {
  phi: number
  df: number
  lag: number
}

/** Returns the larger of two p values: for independent events, and for over-dispersed events. */
export const dispersedP = (score: number, { phi, df }: Dispersion) =>
  Math.max(twoSided(score), phi === 0 ? 0 : twoSided(score / Math.sqrt(phi), Math.floor(df)))
/**
 * Returns half the width of the wider interval (for independent or over-dispersed events), in standard errors for
 * independent events.
 */
export const dispersedZ = ({ phi, df }: Dispersion) => Math.max(1.96, t95(Math.floor(df)) * Math.sqrt(phi))

const sumOf = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0)

/** The variance of a weighted sum of an autoregressive series, from its covariance matrix. See `week_dispersion`. */
export function weekDispersion(
  residuals: readonly number[],
  weights: readonly number[],
  fitted: number,
): Dispersion | null {
  const n = residuals.length
  if (n - fitted < 1) return null
  const squares = sumOf(residuals.map((one) => one * one))
  const together = sumOf(residuals.slice(1).map((one, k) => one * residuals[k]!))
  const raw = squares === 0 ? 0 : together / squares
  const lag = Math.min(0.95, Math.max(0, raw + (1 + 4 * raw) / n))
  let variance = 0
  for (const [i, x] of weights.entries())
    for (const [j, y] of weights.entries()) variance += x * y * lag ** Math.abs(i - j)
  return {
    phi: ((squares / (n - fitted)) * variance) / sumOf(weights.map((one) => one * one)),
    df: Math.max(1, ((n - fitted) * (1 - lag ** 2)) / (1 + lag ** 2)),
    lag,
  }
}

/** The weight of each group of weeks in the change from the second to last group to the last. */
const signs = (stretches: readonly unknown[]) =>
  stretches.map((_, k) => (k === stretches.length - 1 ? 1 : k === stretches.length - 2 ? -1 : 0))

/** The dispersion of weekly counts, with each group of weeks around its own daily rate. */
export function dispersion(stretches: readonly (readonly Week[])[]): Dispersion | null {
  const varying = stretches.filter((weeks) => countOf(weeks) > 0)
  const known = varying.length > 0 ? varying : stretches
  const residuals = known.flatMap((weeks) => {
    const rate = countOf(weeks) / daysOf(weeks)
    return weeks.map(({ n, days }) => (rate > 0 ? (n - rate * days) / Math.sqrt(rate * days) : 0))
  })
  const weights = stretches.flatMap((weeks, k) =>
    weeks.map(({ days }) => (signs(stretches)[k]! * Math.sqrt(days)) / daysOf(weeks)),
  )
  return weekDispersion(residuals, weights, known.length)
}

/** The ratio of two daily rates, its interval, and the larger p of the score test and the exact test for bursts. */
export function countChange(now: readonly Week[], before: readonly Week[]) {
  const [a, b, days, daysBefore] = [countOf(now), countOf(before), daysOf(now), daysOf(before)]
  const weekly = dispersion([before, now])
  if (a + b === 0 || weekly === null) return null
  const share = days / (days + daysBefore)
  const score = (a - (a + b) * share) / Math.sqrt((a + b) * share * (1 - share))
  const [low, high] = wilson(a, a + b, dispersedZ(weekly))
  const ratioOf = (part: number) => ((part / (1 - part)) * daysBefore) / days
  const [x, y] = [a, b].map((n) => Math.round(n / Math.max(1, weekly.phi))) as [number, number]
  const tails = [exactTail(x, x + y, share), exactTail(y, x + y, 1 - share)]
  const exact = x + y > 2_000 ? 0 : Math.min(1, 2 * Math.min(...tails))
  return {
    estimate: b === 0 ? Number.POSITIVE_INFINITY : a / days / (b / daysBefore),
    low: ratioOf(low),
    high: b === 0 ? Number.POSITIVE_INFINITY : ratioOf(high),
    p: Math.max(exact, dispersedP(score, weekly)),
  }
}

export interface Share {
  successes: number
  n: number
}

export interface ShareWeek {
  hits: number
  n: number
}

const shareOf = (weeks: readonly ShareWeek[]): Share => ({
  successes: weeks.reduce((sum, { hits }) => sum + hits, 0),
  n: weeks.reduce((sum, { n }) => sum + n, 0),
})

/**
 * Returns the dispersion of weekly shares around the share of their period. Uses the larger of two results: with weeks
 * weighted by trials, and with equal weights.
 * @param ofNow whether the result is for the share of the last period instead of for its change
 */
export function shareDispersion(given: readonly (readonly ShareWeek[])[], ofNow = false): Dispersion | null {
  const every = given
    .map((all, k) => {
      const weeks = all.filter(({ n }) => n > 0)
      const { successes, n } = shareOf(weeks)
      return {
        weeks,
        n,
        share: successes / n,
        sign: ofNow ? Number(k === given.length - 1) : signs(given)[k]!,
      }
    })
    .filter(({ n }) => n > 0)
  const varying = every.filter(({ share }) => share > 0 && share < 1)
  const known = varying.length > 0 ? varying : every
  const weights = every.flatMap(({ weeks, n, sign }) => weeks.map(() => sign / Math.sqrt(n * weeks.length)))
  const [byTrials, alike] = [true, false].map((isByTrials) => {
    const residuals = known.flatMap(({ weeks, n, share: p }) =>
      weeks.map((week) => {
        const error = Math.sqrt((isByTrials ? n / weeks.length : week.n) * p * (1 - p))
        return error > 0 ? (week.hits - week.n * p) / error : 0
      }),
    )
    return weekDispersion(residuals, weights, known.length)
  })
  return byTrials && alike && alike.phi > byTrials.phi ? alike : byTrials!
}

/** Returns the change of a share by weeks. Null if a period has no trials or no comparable weeks. */
export function shareChange(now: readonly ShareWeek[], before: readonly ShareWeek[]) {
  const weekly = shareDispersion([before, now])
  const [a, b] = [shareOf(now), shareOf(before)]
  const interval = weekly === null ? null : shareDifference(a, b, dispersedZ(weekly))
  if (weekly === null || interval === null) return null
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
 * The 95 % interval of the difference of two shares, now minus before, or null if a share lacks trials. Source is
 * Newcombe (1998), Interval estimation for the difference between independent proportions, Stat. Med. 17, method 10.
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
