import { hash, unit } from '../random.ts'

const HOUR_S = 3_600
const DAY_S = 24 * HOUR_S
const DAY_HOURS = [
  0.5, 0.45, 0.45, 0.45, 0.5, 0.6, 0.75, 1, 1.35, 1.6, 1.7, 1.65, 1.4, 1.55, 1.65, 1.6, 1.45, 1.25, 1, 0.85,
  0.8, 0.75, 0.65, 0.55,
]
const WEEKDAYS = [0.5, 1.05, 1.2, 1.15, 1.2, 1, 0.55]
/** A storm (one failure that causes many incidents) begins in one of this many hours. */
const STORM_EVERY_HOURS = 110
const STORM_HOURS_MAX = 3

/** A multiple of the usual rate at a time in Unix seconds. */
type Rate = (time: number) => number

/** Returns how busy an hour is, as a multiple of the mean. Hours are counted from the Unix epoch. */
function intensity(seed: number, hour: number, rate: Rate = () => 1): number {
  const local = hour + 1
  const daily = DAY_HOURS[local % 24]!
  const weekly = WEEKDAYS[(Math.floor(local / 24) + 4) % 7]!
  const week = 0.8 + 0.4 * unit(seed, Math.floor(local / 168), 11)
  return daily * weekly * week * rate(hour * HOUR_S) * (stormOf(seed, hour) === undefined ? 1 : 6)
}

/** Whether a time (Unix seconds) is at night in the company's time zone, UTC+1. */
export function isNight(time: number): boolean {
  const local = (Math.floor(time / HOUR_S) + 1) % 24
  return local < 7 || local >= 23
}

/** Returns Monday, 00:00 UTC, of the week that contains `time`. */
export function mondayBefore(time: number): number {
  const day = Math.floor(time / DAY_S)
  // The Unix epoch began on a Thursday.
  return (day - ((day + 3) % 7)) * DAY_S
}

/** Returns a number that identifies the storm in this hour, if there is one. */
export function stormOf(seed: number, hour: number): number | undefined {
  for (let begin = hour; begin > hour - STORM_HOURS_MAX; begin--) {
    if (hash(seed, begin, 12) % STORM_EVERY_HOURS !== 0) continue
    const hours = 1 + (hash(seed, begin, 13) % STORM_HOURS_MAX)
    if (hour < begin + hours) return begin
  }
  return undefined
}

/**
 * Returns the days of generated history. It is longer for more incidents: 196 days for 6,000 or fewer, 400 days for
 * 100,000.
 */
export function spanDays(incidents: number): number {
  return Math.round(196 * Math.max(1, incidents / 6_000) ** 0.2535)
}

/**
 * Yields ascending start times in Unix seconds, without end. Exactly `incidents` of them are in the `spanDays` days
 * before `anchor`. Later incidents continue at the same rate.
 */
export function* startTimes(
  seed: number,
  incidents: number,
  anchor: number,
  rate?: Rate,
): Generator<number, never> {
  const first = Math.floor(anchor / HOUR_S) - spanDays(incidents) * 24
  const weights: number[] = []
  for (let hour = first; hour * HOUR_S < anchor; hour++) {
    const share = Math.min(1, (anchor - hour * HOUR_S) / HOUR_S)
    weights.push(intensity(seed, hour, rate) * share)
  }
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  // Sums of exponential gaps, divided by the total, are uniform random numbers in ascending order.
  let sum = 0
  for (let i = 0; i <= incidents; i++) sum += gap(seed, i)
  const scale = total / sum
  let hour = 0
  let before = 0
  let at = 0
  for (let i = 0; i < incidents; i++) {
    at += gap(seed, i) * scale
    while (hour < weights.length - 1 && before + weights[hour]! <= at) before += weights[hour++]!
    const share = hour === weights.length - 1 ? (anchor - (first + hour) * HOUR_S) / HOUR_S : 1
    const within = Math.min(0.999_999, (at - before) / weights[hour]!) * share
    yield Math.min(anchor - 1, Math.floor((first + hour + within) * HOUR_S))
  }
  return yield* future(seed, incidents, anchor, total > 0 ? Math.max(incidents, 1) / total : 1, rate)
}

/** Yields start times after `anchor`. An hour of intensity 1 has `perUnit` incidents on average. */
function* future(
  seed: number,
  from: number,
  anchor: number,
  perUnit: number,
  rate?: Rate,
): Generator<number, never> {
  let at = anchor
  for (let i = from + 1; ; i++) {
    let need = gap(seed, i) / perUnit
    for (;;) {
      const hour = Math.floor(at / HOUR_S)
      const perSecond = intensity(seed, hour, rate) / HOUR_S
      const left = ((hour + 1) * HOUR_S - at) * perSecond
      if (need < left) {
        at += need / perSecond
        break
      }
      need -= left
      at = (hour + 1) * HOUR_S
    }
    yield Math.floor(at)
  }
}

function gap(seed: number, index: number): number {
  return -Math.log(1 - unit(seed, index, 14))
}
