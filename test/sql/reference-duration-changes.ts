import { quantile } from './reference-statistics.ts'
import { t95, twoSided } from './reference-student.ts'

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
  const verdict =
    Math.min(now.length, before.length) === 0
      ? 'nothing to compare with'
      : Math.min(now.length, before.length) < 8
        ? 'too few to compare'
        : pairs.length < 3
          ? 'too short to compare'
          : wordOf({
              p: p!,
              low,
              high,
              isShorter: !holdsOne && shift!.mean < 0 && isLess,
              isLonger: !holdsOne && shift!.mean > 0 && isMore,
            })
  return {
    n: now.length,
    n_before: before.length,
    pairs: pairs.length,
    median_s: wholeNow,
    median_before_s: wholeBefore,
    ratio,
    ratio_low: low,
    ratio_high: high,
    p,
    verdict,
  }
}

/** What is said of a change of which enough is known. */
function wordOf(of: {
  p: number
  low: number | null
  high: number | null
  isShorter: boolean
  isLonger: boolean
}): string {
  const { p, low, high } = of
  const way = of.isShorter ? 'shorter' : of.isLonger ? 'longer' : null
  if (way !== null && p < 0.01) return way
  if (way !== null && p < 0.05 && low !== null && (low > 1 || high! < 1)) return `possibly ${way}`
  return low !== null && low >= 0.75 && high! <= 4 / 3 ? 'about the same' : 'no clear change'
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
