import { shareDispersion, weekDispersion } from './reference-changes.ts'
import { groupsOf } from './reference-groups.ts'
import { quantile } from './reference-statistics.ts'
import { t95, twoSided } from './reference-student.ts'

/**
 * A duration in the period, in the previous period, or in the history (`place` below 0). For an open incident,
 * `seconds` is its age.
 */
export interface Observation {
  isNow: boolean
  place: number
  seconds: number
  isOpen: boolean
}

const sum = (values: readonly number[]) => values.reduce((total, one) => total + one, 0)
const mean = (values: readonly number[]) => sum(values) / values.length
const stretchOf = ({ isNow, place }: Observation) => (isNow ? 2 : place >= 0 ? 1 : 0)

/**
 * Computes the change of durations from the scores of all weeks, directly from the definitions.
 * @param isIn whether a duration is included in the medians and their ratio
 */
export function durationChange(
  all: readonly Observation[],
  isIn: (one: Observation) => boolean = () => true,
) {
  const of = (stretch: number) => all.filter((one) => stretchOf(one) === stretch)
  const [now, before] = [of(2), of(1)]
  const [wholeNow, wholeBefore] = [knownMedian(now.filter(isIn)), knownMedian(before.filter(isIn))]
  const ratio = wholeNow === null || !wholeBefore ? null : wholeNow / wholeBefore
  const { p, shift, lag } = rankTest(all)
  const weeks = Math.min(...[now, before].map((side) => new Set(side.map(({ place }) => place)).size))
  const ends = endsOf(all, [wholeBefore, wholeNow])
  const [low, high] =
    !ratio || ends === null ? [null, null] : [ratio * Math.exp(-ends.down), ratio * Math.exp(ends.up)]
  const isLess = wholeNow !== null && (wholeBefore === null || wholeNow < wholeBefore)
  const isMore = wholeBefore !== null && (wholeNow === null || wholeNow > wholeBefore)
  const direction = (shift ?? 0) < 0 && isLess ? -1 : (shift ?? 0) > 0 && isMore ? 1 : 0
  const isOff = low === null || low > 1 || high! < 1
  const certainty =
    direction === 0 || p === null ? 0 : p < 0.01 && isOff ? 0.99 : p < 0.01 || (p < 0.05 && isOff) ? 0.95 : 0
  const isSmall = low !== null && low >= 0.75 && high! <= 4 / 3
  const word = direction < 0 ? 'shorter' : 'longer'
  return {
    n: now.length,
    n_before: before.length,
    weeks: now.length && before.length ? weeks : 0,
    lag,
    median_s: wholeNow,
    median_before_s: wholeBefore,
    ratio,
    ratio_low: low,
    ratio_high: high,
    p,
    direction,
    certainty,
    is_small: isSmall,
    verdict:
      Math.min(now.length, before.length) === 0
        ? 'nothing to compare with'
        : Math.min(now.length, before.length) < 8
          ? 'too few to compare'
          : weeks < 3
            ? 'too short to compare'
            : certainty > 0
              ? `${certainty < 0.99 ? 'possibly ' : ''}${word}`
              : isSmall
                ? 'about the same'
                : 'no clear change',
  }
}

function weeksOf(all: readonly Observation[]) {
  return [...groupsOf(all, (one) => `${stretchOf(one)} ${one.place}`)]
    .map(([key, rows]) => {
      const [stretch, place] = key.split(' ').map(Number) as [number, number]
      return { stretch, place, rows }
    })
    .sort((a, b) => a.stretch - b.stretch || a.place - b.place)
}

/**
 * Scores durations by the product limit. Equal durations share the middle of their scores. The score of an open
 * duration is the mean score of all longer durations.
 */
export function scoresOf(all: readonly Pick<Observation, 'seconds' | 'isOpen'>[]) {
  const survival = new Map<number, [asLong: number, longer: number]>()
  let left = 1
  let atRisk = all.length
  for (const [seconds, rows] of [...groupsOf(all, (one) => one.seconds)].sort(([a], [b]) => a - b)) {
    const ended = rows.filter((one) => !one.isOpen).length
    survival.set(seconds, [left, left * (1 - ended / atRisk)])
    left *= 1 - ended / atRisk
    atRisk -= rows.length
  }
  return ({ seconds, isOpen }: Pick<Observation, 'seconds' | 'isOpen'>) => {
    const [asLong, longer] = survival.get(seconds)!
    return 1 - (isOpen ? longer : asLong + longer) / 2
  }
}

function rankTest(all: readonly Observation[]) {
  const scoreOf = scoresOf(all)
  const weeks = weeksOf(all).map(({ stretch, rows }) => ({
    isNow: stretch === 2,
    n: rows.length,
    score: mean(rows.map(scoreOf)),
  }))
  const [now, past] = [weeks.filter(({ isNow }) => isNow), weeks.filter(({ isNow }) => !isNow)]
  if (now.length === 0 || past.length === 0) return { p: null, shift: null, lag: null }
  const [mine, theirs] = [mean(now.map(({ score }) => score)), mean(past.map(({ score }) => score))]
  const shift = mine - theirs
  const spread = weekDispersion(
    weeks.map(({ isNow, score }) => score - (isNow ? mine : theirs)),
    weeks.map(({ isNow }) => (isNow ? 1 / now.length : -1 / past.length)),
    2,
  )
  const scores = all.map(scoreOf)
  const middle = mean(scores)
  const variance = mean(scores.map((one) => (one - middle) ** 2))
  const ofWeeks = 1 / now.length + 1 / past.length
  const inverse = (side: typeof weeks) => sum(side.map(({ n }) => 1 / n)) / side.length ** 2
  const ofIncidents = inverse(now) + inverse(past)
  const fewer = Math.max(0, ofIncidents - mean(weeks.map(({ n }) => 1 / n)) * ofWeeks)
  const error = spread && Math.sqrt(spread.phi * ofWeeks + variance * fewer)
  const alone = Math.sqrt(variance * ofIncidents)
  const ps = [
    spread && error! > 1e-12 ? [twoSided(shift / error!, Math.floor(spread.df))] : [],
    alone > 1e-12 ? [twoSided(shift / alone)] : [],
  ].flat()
  return { p: ps.length === 0 ? 1 : Math.max(...ps), shift, lag: spread?.lag ?? null }
}

/** Distances from the ratio to the ends of its interval, in logarithms. */
function endsOf(all: readonly Observation[], given: readonly (number | null)[]) {
  const stretches = [0, 1, 2].map((stretch) => all.filter((one) => stretchOf(one) === stretch))
  const middles = stretches.map(knownMedian)
  const below = stretches.flatMap((rows, stretch) => {
    const middle = middles[stretch] ?? Number.POSITIVE_INFINITY
    const share = ({ seconds, isOpen }: Observation) =>
      isOpen || seconds > middle ? 0 : seconds === middle ? 0.5 : 1
    const weeks = weeksOf(rows).map((week) => ({ hits: sum(week.rows.map(share)), n: week.rows.length }))
    return weeks.length === 0 ? [] : [weeks]
  })
  const spread = stretches[1]!.length && stretches[2]!.length ? shareDispersion(below) : null
  if (spread === null) return null
  const z = Math.max(1.96, t95(Math.floor(spread.df)) * Math.sqrt(spread.phi))
  const [before, now] = [1, 2].map((stretch, k) => {
    const sorted = stretches[stretch]!.map(({ seconds, isOpen }) =>
      isOpen ? Number.POSITIVE_INFINITY : seconds,
    ).sort((a, b) => a - b)
    const either = (z * Math.sqrt(sorted.length)) / 2
    const middle = middles[stretch] ?? given[k] ?? null
    const low = sorted.find((_, place) => place + 1 > sorted.length / 2 - either) ?? 0
    const high = sorted.find((_, place) => place + 1 >= sorted.length / 2 + either)
    return middle === null
      ? { down: Number.NaN, up: Number.NaN }
      : { down: logRatio(middle, low), up: logRatio(high ?? Number.POSITIVE_INFINITY, middle) }
  }) as [{ down: number; up: number }, { down: number; up: number }]
  return { down: Math.hypot(now.down, before.up), up: Math.hypot(now.up, before.down) }
}

function logRatio(long: number, short: number): number {
  if (long === Number.POSITIVE_INFINITY || (short === 0 && long > 0)) return Number.POSITIVE_INFINITY
  return long <= short ? 0 : Math.log(long / short)
}

/** Returns the median, or null if half or more of the incidents are open. */
function knownMedian(rows: readonly Observation[]): number | null {
  const found = quantile(
    rows.map(({ seconds, isOpen }) => (isOpen ? 1e12 : seconds)),
    0.5,
  )
  return found !== null && found < 1e12 ? found : null
}
