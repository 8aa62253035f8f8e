import { quantile, wilson } from './reference-statistics.ts'

/** A duration of one of two periods; infinite while it was open. */
export interface Observation {
  isNow: boolean
  place: number
  seconds: number
}

/**
 * The change of durations by ranks within pairs of weeks, t over the weeks; straight from the definitions, pair by pair.
 * @param isIn which durations the medians are of, whose ratio is told
 */
export function durationChange(all: readonly Observation[], isIn: (seconds: number) => boolean = () => true) {
  const side = (rows: readonly Observation[], isNow: boolean) =>
    rows.filter((one) => one.isNow === isNow).map(({ seconds }) => seconds)
  const [now, before] = [side(all, true), side(all, false)]
  const pairs = [...new Set(all.map(({ place }) => place))].flatMap((place) => {
    const rows = all.filter((one) => one.place === place)
    const [a, b] = [side(rows, true), side(rows, false)]
    return a.length === 0 || b.length === 0 ? [] : [pairOf(a, b)]
  })
  const wholeNow = knownMedian(now.filter(isIn))
  const wholeBefore = knownMedian(before.filter(isIn))
  const ratio = wholeNow === null || !wholeBefore ? null : wholeNow / wholeBefore
  const shift = spreadOf(pairs.map(({ weight, shift }) => [weight, shift]))
  const logs = spreadOf(pairs.flatMap(({ weight, log }) => (log === null ? [] : [[weight, log]])))
  const z =
    pairs.reduce((sum, { score }) => sum + score, 0) /
    Math.sqrt(pairs.reduce((sum, { variance }) => sum + variance, 0))
  const ps = [
    Number.isNaN(z) ? [] : [twoSided(z)],
    shift === null || shift.freedom < 1 - 1e-9 || shift.error < 1e-12
      ? []
      : [twoSided(shift.mean / shift.error, shift.freedom)],
  ].flat()
  const p = pairs.length === 0 ? null : ps.length === 0 ? 1 : Math.max(...ps)
  const reach = logs === null || logs.freedom < 1 - 1e-9 ? null : t95(logs.freedom) * logs.error
  const isLess = wholeNow !== null && (wholeBefore === null || wholeNow < wholeBefore)
  const isMore = wholeBefore !== null && (wholeNow === null || wholeNow > wholeBefore)
  // What the medians cannot tell from none is none, however sure the ranks are.
  const holdsOne =
    ratio !== null && reach !== null && ratio * Math.exp(-reach) < 1 && ratio * Math.exp(reach) > 1
  const [low, high] =
    ratio === null || reach === null ? [null, null] : [ratio * Math.exp(-reach), ratio * Math.exp(reach)]
  const word = () => {
    const way =
      !holdsOne && shift!.mean < 0 && isLess
        ? 'shorter'
        : !holdsOne && shift!.mean > 0 && isMore
          ? 'longer'
          : null
    if (way !== null && p! < 0.01) return way
    if (way !== null && p! < 0.05 && low !== null && (low > 1 || high! < 1)) return `possibly ${way}`
    return low !== null && low >= 0.75 && high! <= 4 / 3 ? 'about the same' : 'no clear change'
  }
  const verdict =
    Math.min(now.length, before.length) === 0
      ? 'nothing to compare with'
      : Math.min(now.length, before.length) < 8
        ? 'too few to compare'
        : pairs.length < 3
          ? 'too short to compare'
          : word()
  return {
    n: now.length,
    n_before: before.length,
    pairs: pairs.length,
    median_s: wholeNow,
    median_before_s: wholeBefore,
    ratio,
    ratio_low: ratio === null || reach === null ? null : ratio * Math.exp(-reach),
    ratio_high: ratio === null || reach === null ? null : ratio * Math.exp(reach),
    p,
    verdict,
  }
}

function pairOf(a: readonly number[], b: readonly number[]) {
  const [n, m] = [a.length, b.length]
  let u = 0
  for (const x of a) for (const y of b) u += x > y ? 1 : x === y ? 0.5 : 0
  const both = [...a, ...b]
  const tied = [...new Set(both)].map((value) => both.filter((one) => one === value).length)
  const ties = tied.reduce((sum, t) => sum + t ** 3 - t, 0)
  const size = n + m
  const [x, y] = [knownMedian(a), knownMedian(b)]
  return {
    weight: (n * m) / size,
    shift: u / (n * m) - 0.5,
    log: x && y ? Math.log(x / y) : null,
    score: (u - (n * m) / 2) / (size + 1),
    variance: ((n * m) / (12 * (size + 1))) * (1 - ties / (size ** 3 - size)),
  }
}

/** Null when half or more are open. */
function knownMedian(values: readonly number[]): number | null {
  const found = quantile(
    values.map((one) => Math.min(one, 1e12)),
    0.5,
  )
  return found !== null && found < 1e12 ? found : null
}

/** Weighted mean of [weight, value], its standard error, and the effective number of values less one. */
function spreadOf(values: readonly (readonly number[])[]) {
  if (values.length === 0) return null
  const total = values.reduce((sum, [w]) => sum + w!, 0)
  const average = values.reduce((sum, [w, x]) => sum + w! * x!, 0) / total
  const variance = values.reduce((sum, [w, x]) => sum + w! * (x! - average) ** 2, 0) / total
  const freedom = total ** 2 / values.reduce((sum, [w]) => sum + w! ** 2, 0) - 1
  return { mean: average, error: Math.sqrt(Math.max(0, variance) / freedom), freedom }
}

/**
 * Two-sided tail of Student's t (without degrees of freedom: of the normal distribution), by Simpson's rule over its
 * density; whole degrees of freedom.
 */
export function twoSided(value: number, freedom = Number.POSITIVE_INFINITY): number {
  const df = Math.floor(freedom + 1e-9)
  const density = (x: number) =>
    Number.isFinite(df) ? (1 + (x * x) / df) ** (-(df + 1) / 2) : Math.exp((-x * x) / 2)
  // Over x = tan(a): the tails come into reach.
  const area = (from: number, to: number) => {
    const steps = 2_000
    const at = (k: number) => from + ((to - from) * k) / steps
    const f = (a: number) => density(Math.tan(a)) / Math.cos(a) ** 2
    let sum = 0
    for (let k = 0; k < steps; k += 2) sum += f(at(k)) + 4 * f(at(k + 1)) + f(at(k + 2))
    return (sum * (to - from)) / steps / 3
  }
  const end = Math.PI / 2 - 1e-9
  return area(Math.atan(Math.abs(value)), end) / area(0, end)
}

/**
 * The value that twoSided gives 5 % for, by halving and rounded as tables are; above 30 Abramowitz and Stegun, 26.7.5, about
 * 1.96, which all intervals take for the normal one.
 */
export function t95(freedom: number): number {
  if (freedom > 30.5) {
    const [z, df] = [1.96, Math.floor(freedom + 1e-9)]
    return z + (z ** 3 + z) / (4 * df) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * df ** 2)
  }
  const known = tables.get(freedom)
  if (known !== undefined) return known
  let [low, high] = [1, 13]
  for (let k = 0; k < 30; k++) {
    const middle = (low + high) / 2
    if (twoSided(middle, freedom) > 0.05) low = middle
    else high = middle
  }
  const found = Math.round(low * 1e4) / 1e4
  tables.set(freedom, found)
  return found
}

const tables = new Map<number, number>()

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
 * not below `floor`. Null below 6 points, and without a width.
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
  if (reach === 0) return null
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
