import { type Dispersion, type ShareWeek, shareDispersion } from '../sql/reference-changes.ts'
import { resolveTime } from '../sql/reference-durations.ts'
import { meanInterval } from '../sql/reference-intervals.ts'
import { pageStarts } from '../sql/reference-pages.ts'
import { quantile, wilson } from '../sql/reference-statistics.ts'
import { t95 } from '../sql/reference-student.ts'
import { knownSince } from '../sql/reference-time-changes.ts'
import { type Reference, referenceAsOf, referenceTimes } from '../sql/reference-times.ts'
import type { World } from '../support/world.ts'

/** A question for `figure`. The period is whole weeks in UTC, with an exclusive end. */
export interface Question {
  readonly metric: string
  readonly from: string
  readonly to: string
  readonly severity?: string
  readonly team?: string
}

export interface Known {
  readonly value: number | null
  readonly n: number | null
  readonly interval: readonly [number, number] | null
}

const WEEK = 7 * 86_400
const secondsOf = (day: string) => Date.parse(`${day}T00:00:00Z`) / 1_000

/** Computes the answer from the records in TypeScript, independent of `sql/` and reports. */
export function answerTo(question: Question, world: World): Known {
  const { metric, severity, team } = question
  const rows = referenceTimes(world).filter(
    (one) =>
      (severity === undefined || one.row.incident_severity === severity) &&
      (team === undefined || one.team === team),
  )
  const span = { from: secondsOf(question.from), to: secondsOf(question.to) }
  const now = rows.filter(({ start }) => start !== undefined && start >= span.from && start < span.to)
  const heard = now.filter(({ muted }) => !muted)
  const counts = countsOf(now, heard)
  if (metric in counts) return { value: counts[metric]!, n: counts[metric]!, interval: null }
  if (metric === 'pages') {
    const value = pageStarts(world, span).filter(
      (page) => severity === undefined || page.incident_severity === severity,
    ).length
    return { value, n: value, interval: null }
  }
  if (metric in shares) return shareOf(shares[metric]!, rows, now, stretchesOf(world, span))
  if (metric === 'alerts_folded') return folded(now)
  if (metric === 'time_to_resolve_p90') return oneInTen(heard)
  if (metric === 'time_to_resolve') {
    const ids = new Set(rows.map(({ row }) => row.incident_id))
    const part = { ...world, incidents: world.incidents.filter((row) => ids.has(row.incident_id)) }
    const [found] = resolveTime(part, span) as Record<string, number | null>[]
    const { median_s: value, median_low_s: low, median_high_s: high, closed, open } = found!
    const n = (found as { is_survival?: unknown }).is_survival ? closed! + open! : closed!
    return { value: value ?? null, n, interval: low == null || high == null ? null : [low, high] }
  }
  return medianOf(times[metric]!, rows, now, stretchesOf(world, span))
}

const countsOf = (now: readonly Reference[], heard: readonly Reference[]): Record<string, number> => ({
  incidents: now.length,
  serious_incidents: now.filter(({ row }) => /Critical|Warning/.test(row.incident_severity)).length,
  unacknowledged: heard.filter(({ acknowledged }) => !acknowledged).length,
})

/** Counts the incidents of a share, those that meet the condition, and those that met it within `watched` seconds. */
interface ShareRule {
  of(one: Reference): boolean
  hit(one: Reference): boolean
  stood(one: Reference, watched: number): boolean
}

const shares: Record<string, ShareRule> = {
  critical_share: {
    of: () => true,
    hit: ({ row }) => row.incident_severity === 'Critical',
    stood: ({ row }) => row.incident_severity === 'Critical',
  },
  acknowledged: {
    of: ({ muted }) => !muted,
    hit: ({ acknowledged }) => acknowledged,
    stood: ({ acknowledged, times }, watched) => acknowledged && Number(times.time_to_ack_s ?? 0) <= watched,
  },
}

/** Seconds of each duration metric, or null for incidents that the metric excludes. */
const times: Record<string, (one: Reference) => unknown> = {
  time_to_acknowledge: ({ muted, times }) => (muted ? null : times.time_to_ack_s),
  time_to_close: ({ times }) => times.time_to_close_s,
  time_to_recover: ({ times }) => times.time_to_recover_s,
}

/** Maps a start time to history (0), previous period (1) or period (2). `watched` is the follow-up in seconds. */
type Placed = (start: number) => { stretch: 0 | 1 | 2; place: number; watched: number } | undefined

/**
 * Assigns times to the weeks of the period, of the previous period, and of up to twelve weeks before. All of these
 * weeks determine the dispersion. Each group of weeks has the same follow-up time as the period.
 */
function stretchesOf(world: World, { from, to }: { from: number; to: number }): Placed {
  const length = to - from
  const asOf = referenceAsOf(world)!.as_of_at!
  const before = from - length
  const weeks = Math.max(0, Math.min(12, Math.floor((before - knownSince(world)!) / WEEK)))
  return (start) => {
    const judged = (end: number) => end + asOf - to - start
    if (start >= from && start < to)
      return { stretch: 2, place: Math.floor((start - from) / WEEK), watched: judged(to) }
    if (start >= before && start < from)
      return { stretch: 1, place: Math.floor((start - before) / WEEK), watched: judged(from) }
    const back = Math.floor((before - start - 1e-6) / WEEK)
    if (back < 0 || back >= weeks) return undefined
    return {
      stretch: 0,
      place: -1 - back,
      watched: judged(before - length * Math.floor((back * WEEK) / length)),
    }
  }
}

/** Effective sample size of `n` over-dispersed incidents. 1.96 is the normal quantile of all intervals. */
const effective = (n: number, dispersion: Dispersion | null) =>
  n / Math.max(1, dispersion === null ? 1 : dispersion.phi * (t95(Math.floor(dispersion.df)) / 1.96) ** 2)

/** The weeks of a figure by stretch, in chronological order. */
function weeksOf(
  rows: readonly Reference[],
  placed: Placed,
  trial: (one: Reference, watched: number) => number | null,
): ShareWeek[][] {
  const weeks = [0, 1, 2].map(() => new Map<number, ShareWeek>())
  for (const one of rows) {
    const where = one.start === undefined ? undefined : placed(one.start)
    const hits = where && trial(one, where.watched)
    if (hits === undefined || hits === null) continue
    const of = weeks[where!.stretch]!
    const week = of.get(where!.place) ?? { hits: 0, n: 0 }
    of.set(where!.place, { hits: week.hits + hits, n: week.n + 1 })
  }
  return weeks.map((of) => [...of].sort(([a], [b]) => a - b).map(([, week]) => week))
}

function shareOf(
  rule: ShareRule,
  rows: readonly Reference[],
  now: readonly Reference[],
  placed: Placed,
): Known {
  const trials = now.filter(rule.of)
  const n = trials.length
  if (n === 0) return { value: null, n, interval: null }
  const value = trials.filter(rule.hit).length / n
  const stretches = weeksOf(rows.filter(rule.of), placed, (one, watched) => Number(rule.stood(one, watched)))
  const told = effective(n, shareDispersion(withNow(stretches), true))
  return { value, n, interval: wilson(value * told, told) }
}

/** Drops stretches without weeks, except the period. */
const withNow = (stretches: readonly ShareWeek[][]) =>
  stretches.filter((weeks, place) => place === stretches.length - 1 || weeks.length > 0)

function medianOf(
  secondsOf: (one: Reference) => unknown,
  rows: readonly Reference[],
  now: readonly Reference[],
  placed: Placed,
): Known {
  const known = (one: Reference) => {
    const seconds = secondsOf(one)
    return typeof seconds === 'number' ? seconds : null
  }
  const sorted = now.flatMap((one) => known(one) ?? []).sort((a, b) => a - b)
  const n = sorted.length
  const value = quantile(sorted, 0.5)
  if (value === null || n < 6) return { value, n, interval: null }
  const stretches = weeksOf(rows, placed, (one, watched) => {
    const seconds = known(one)
    if (seconds === null || seconds > watched) return null
    return seconds === value ? 0.5 : Number(seconds < value)
  })
  // For durations, history and previous period form one stretch.
  const joined = [[...stretches[0]!, ...stretches[1]!], stretches[2]!]
  const told = Math.max(1, Math.floor(Math.min(n, effective(n, shareDispersion(withNow(joined), true)))))
  const below = lowestRank(told)
  if (below < 0) return { value, n, interval: null }
  const [low, high] = [Math.floor((below * n) / told) + 1, Math.ceil(((told - below) * n) / told)]
  return { value, n, interval: [sorted[low - 1]!, sorted[high - 1]!] }
}

/** Largest rank whose binomial tail below the median is at most 2.5%, or -1 if none. */
function lowestRank(n: number): number {
  let log = n * Math.log(0.5)
  let tail = 0
  let rank = -1
  while (tail + Math.exp(log) <= 0.025) {
    tail += Math.exp(log)
    rank++
    log += Math.log((n - rank) / (rank + 1))
  }
  return rank
}

/** p90 of the time to resolve. Null for fewer than ten resolved incidents, or if more are open than resolved. */
function oneInTen(heard: readonly Reference[]): Known {
  const sorted = heard
    .flatMap(({ times }) => (times.time_to_resolve_s == null ? [] : [Number(times.time_to_resolve_s)]))
    .sort((a, b) => a - b)
  const n = sorted.length
  const open = heard.filter(({ row }) => row.close_time === 0 || row.close_time == null).length
  if (n < 10 || open > n) return { value: null, n, interval: null }
  const at = (n - 1) * 0.9
  const [below, above] = [sorted[Math.floor(at)]!, sorted[Math.ceil(at)]!]
  return { value: below + (above - below) * (at % 1), n, interval: null }
}

function folded(now: readonly Reference[]): Known {
  const counts = now.filter(({ row }) => row.alert_cnt > 0).map(({ row }) => row.alert_event_cnt)
  const sum = counts.reduce((all, one) => all + one, 0)
  if (counts.length < 8) return { value: null, n: counts.length, interval: null }
  const [low, high] = meanInterval(counts, 0)
  return {
    value: 1 - counts.length / sum,
    n: counts.length,
    interval: low === null || high === null ? null : [1 - 1 / low, 1 - 1 / high],
  }
}
