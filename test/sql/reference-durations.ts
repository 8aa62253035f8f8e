import type { World } from '../support/world.ts'
import { durationChange, type Observation, t95 } from './reference-changes.ts'
import { cube, groupsOf, isIn, mean, type Rows, type Span, started, threshold } from './reference-groups.ts'
import { incidentChanges } from './reference-recurrence.ts'
import { incidentResponse } from './reference-response.ts'
import { quantile, survival } from './reference-statistics.ts'
import { type Reference, referenceAsOf, referenceTimes } from './reference-times.ts'

/** A time of an incident before bad ones are left out; undefined has not happened, or nobody knows when. */
interface Timed {
  severity: string
  team: string
  seconds: number | undefined
}

const good = (rows: readonly Timed[]) =>
  rows
    .flatMap(({ seconds }) => (seconds !== undefined && seconds >= 0 ? [seconds] : []))
    .sort((a, b) => a - b)
const bad = (rows: readonly Timed[]) => rows.filter(({ seconds }) => (seconds ?? 0) < 0).length
const gap = (from: number | undefined, to: number | undefined) =>
  from === undefined || to === undefined ? undefined : to - from

/** The headline time to resolve: of the closed ones, or of survival while a tenth or more is open. */
export function resolveTime(world: World, span: Span): Rows {
  const heard = started(referenceTimes(world), span).filter(({ muted }) => !muted)
  const times = heard.flatMap(({ times }) =>
    typeof times.time_to_resolve_s === 'number' ? [times.time_to_resolve_s] : [],
  )
  const sorted = times.sort((a, b) => a - b)
  const open = heard.filter((one) => one.open).length
  const all = sorted.length + open
  const closed_median_s = quantile(sorted, 0.5)
  const counts = { closed: sorted.length, open, open_share: all === 0 ? null : open / all, closed_median_s }
  if (all === 0 || 10 * open < all) {
    const [median_low_s, median_high_s] = interval(sorted, 0.5, threshold(world, 'interval_min_n'))
    return [{ ...counts, is_survival: false, median_s: closed_median_s, median_low_s, median_high_s }]
  }
  const curve = survival(heard.filter((one) => one.open || one.times.is_handled_by_people)) as Record<
    string,
    number
  >[]
  const first = (column: string) => curve.find((row) => (row[column] ?? 1) <= 0.5 + 1e-9)?.t_s ?? null
  return [
    {
      ...counts,
      is_survival: true,
      median_s: first('survival'),
      median_low_s: first('survival_low'),
      median_high_s: first('survival_high'),
    },
  ]
}

/**
 * Values at the ranks that the quantile is outside of at most one time in forty on either side, by the recursion of the
 * binomial probabilities; none where the sample has no such ranks, or fewer values than `fewest`.
 */
export function interval(
  sorted: readonly number[],
  p: number,
  fewest: number,
): [number, number] | [null, null] {
  const n = sorted.length
  const [low, high] = [lowestRank(n, p), n + 1 - lowestRank(n, 1 - p)]
  return n < fewest || low < 1 || high > n ? [null, null] : [sorted[low - 1]!, sorted[high - 1]!]
}

/** The highest rank that at most one sample in forty has above the quantile; 0 is none. */
function lowestRank(n: number, p: number): number {
  // By logarithms: half to the power of 2,000 is nothing.
  let log = n * Math.log(1 - p)
  let tail = 0
  let rank = 0
  while (tail + Math.exp(log) <= 0.025) {
    tail += Math.exp(log)
    rank++
    log += Math.log(((n - rank + 1) / rank) * (p / (1 - p)))
  }
  return rank
}

/** The mean ± t errors, both ends through the inverse of Hall's transformation with half as much skewness again. */
export function meanInterval(values: readonly number[], lowest?: number): [number, number] | [null, null] {
  const n = values.length
  const average = mean(values) ?? 0
  const about = (power: number) => values.reduce((sum, one) => sum + (one - average) ** power, 0)
  const deviation = Math.sqrt(about(2) / (n - 1))
  if (n < 20 || !(deviation > 0)) return [null, null]
  const skew = (n * about(3)) / ((n - 1) * (n - 2) * deviation ** 3)
  // g(x) = x + a x² + a² x³ / 3 + a / 2 of x = (mean - µ) / error, found where it is ± t.
  const a = (1.5 * skew) / (3 * Math.sqrt(n))
  const reach = t95(n - 1)
  const ends = [reach, -reach].map((end) => {
    let [low, high] = [-1e4, 1e4]
    for (let k = 0; k < 200; k++) {
      const x = (low + high) / 2
      if (x + a * x * x + (a * a * x ** 3) / 3 + a / 2 < end) low = x
      else high = x
    }
    return average - (low * deviation) / Math.sqrt(n)
  })
  return [Math.max(lowest ?? Number.NEGATIVE_INFINITY, ends[0]!), ends[1]!]
}

export function timeMeasures(world: World, of: readonly Reference[]): Rows {
  const delays = new Map(
    incidentResponse(world).map((row) => [
      row.incident_id,
      gap0(row.first_assignment_delay_s, row.is_negative_assignment),
    ]),
  )
  const changes = new Map(incidentChanges(world).map((row) => [row.incident_id, row]))
  const isHandled = ({ open, acknowledged, muted, row }: Reference) =>
    !open && !muted && (acknowledged || row.closer_id !== 0)
  const measures: [string, (one: Reference) => boolean, (one: Reference) => number | undefined][] = [
    ['time_to_ack', ({ muted }) => !muted, ({ start, row }) => gap(start, row.ack_time || undefined)],
    ['time_to_close_handled', isHandled, ({ start, closedAt }) => gap(start, closedAt)],
    [
      'time_to_first_close',
      isHandled,
      ({ row, start, closedAt }) => {
        const first = changes.get(row.incident_id)?.first_closed_at as number | null | undefined
        const last = gap(start, closedAt)
        return last === undefined || last < 0 || first == null || first < start!
          ? last
          : Math.min(last, first - start!)
      },
    ],
    [
      'time_open',
      isHandled,
      ({ row, start, closedAt }) => {
        const last = gap(start, closedAt)
        if (last === undefined || last < 0) return last
        return Math.max(0, last - ((changes.get(row.incident_id)?.closed_s as number | undefined) ?? 0))
      },
    ],
    ['time_to_close', () => true, ({ start, closedAt }) => gap(start, closedAt)],
    ['time_to_close_muted', ({ muted }) => muted, ({ start, closedAt }) => gap(start, closedAt)],
    ['time_to_recover', () => true, ({ start, row }) => gap(start, row.end_time || undefined)],
    ['hands_on', ({ open }) => !open, ({ closedAt, row }) => gap(row.ack_time || undefined, closedAt)],
    ['close_lag', ({ open }) => !open, ({ closedAt, row }) => gap(row.end_time || undefined, closedAt)],
    ['detection_lag', () => true, ({ start, row }) => gap(start, row.created_at || undefined)],
    ['first_assignment_delay', ({ muted }) => !muted, ({ row }) => delays.get(row.incident_id)],
  ]
  const [fewest, fewestForP90] = [threshold(world, 'interval_min_n'), threshold(world, 'p90_min_n')]
  return measures.flatMap(([measure, counts, secondsOf]) => {
    const timed = of
      .filter(counts)
      .map((one) => ({ severity: one.row.incident_severity, team: one.team, seconds: secondsOf(one) }))
    return cube(timed, (rows) => {
      const sorted = good(rows)
      const negative = bad(rows)
      const [median_low_s, median_high_s] = interval(sorted, 0.5, fewest)
      const [p90_low_s, p90_high_s] = interval(sorted, 0.9, fewestForP90)
      const [mean_low_s, mean_high_s] = meanInterval(sorted, 0)
      return {
        measure,
        incidents: rows.length,
        n: sorted.length,
        negative,
        without_time: rows.length - sorted.length - negative,
        mean_s: mean(sorted),
        mean_low_s,
        mean_high_s,
        median_s: quantile(sorted, 0.5),
        median_low_s,
        median_high_s,
        p90_s: sorted.length < fewestForP90 ? null : quantile(sorted, 0.9),
        p90_low_s,
        p90_high_s,
        max_s: sorted.at(-1) ?? null,
      }
    })
  })
}

const gap0 = (seconds: unknown, isNegative: unknown) =>
  isNegative ? -1 : typeof seconds === 'number' ? seconds : undefined

interface Policy {
  incident_id: string
  severity: string
  team: string
  measure: string
  policy: string
  seconds: number | undefined
}

function answersOf(world: World): Map<string, number> {
  const answers = new Map<string, number>()
  for (const { incident_id, person_id, acknowledged_at } of world.responders) {
    if (person_id === 0 || acknowledged_at === 0) continue
    answers.set(incident_id, Math.min(acknowledged_at, answers.get(incident_id) ?? acknowledged_at))
  }
  return answers
}

/** Of the incidents that anybody answered. */
export const firstAnswers = (world: World): Rows =>
  [...answersOf(world)].map(([incident_id, answered_at]) => ({ incident_id, answered_at }))

function policies(world: World, of: readonly Reference[]): Policy[] {
  const answers = answersOf(world)
  return of.flatMap((one) => {
    const { row, start, closedAt, open, muted, times } = one
    const ack = row.ack_time || undefined
    const deeds = [ack, answers.get(row.incident_id), row.closer_id === 0 ? undefined : closedAt]
    const first = Math.min(...deeds.filter((at) => at !== undefined))
    const rules: [string, string, boolean, number | undefined][] = [
      ['time_to_ack', 'exclude', !muted, gap(start, ack)],
      ['time_to_ack', 'close_counts', !muted, gap(start, ack ?? closedAt)],
      ['time_to_ack', 'first_action', !muted, gap(start, Number.isFinite(first) ? first : undefined)],
      [
        'time_to_resolve',
        'handled_by_people',
        times.is_handled_by_people === true && !muted,
        gap(start, closedAt),
      ],
      ['time_to_resolve', 'all_closed', !open, gap(start, closedAt)],
      [
        'time_to_resolve',
        'open_until_now',
        true,
        open ? ((times.age_s as number | null) ?? undefined) : gap(start, closedAt),
      ],
      ['time_to_resolve', 'recovered', true, gap(start, row.end_time || undefined)],
      ['time_to_resolve', 'from_acknowledgement', !open, gap(ack, closedAt)],
    ]
    return rules
      .filter(([, , counts]) => counts)
      .map(([measure, policy, , seconds]) => ({
        incident_id: row.incident_id,
        severity: row.incident_severity,
        team: one.team,
        measure,
        policy,
        seconds,
      }))
  })
}

export const policyTimes = (world: World): Rows =>
  policies(world, referenceTimes(world)).map(({ incident_id, measure, policy, seconds }) => ({
    incident_id,
    measure,
    policy,
    seconds: seconds === undefined || seconds < 0 ? null : seconds,
    is_negative: (seconds ?? 0) < 0,
  }))

export function definitionSensitivity(world: World, span: Span): Rows {
  const all = policies(world, started(referenceTimes(world), span))
  const chosen = [
    'handled_by_people',
    world.settings.policies.find(({ name }) => name === 'ack')?.value ?? 'exclude',
  ]
  return [...groupsOf(all, ({ measure, policy }) => `${measure}/${policy}`).values()].map((rows) => {
    const { measure, policy } = rows[0]!
    const sorted = good(rows)
    const negative = bad(rows)
    return {
      measure,
      policy,
      is_chosen: chosen.includes(policy),
      incidents: rows.length,
      n: sorted.length,
      negative,
      without_time: rows.length - sorted.length - negative,
      mean_s: mean(sorted),
      median_s: quantile(sorted, 0.5),
      p90_s: sorted.length < threshold(world, 'p90_min_n') ? null : quantile(sorted, 0.9),
    }
  })
}

const week = 7 * 86_400

export function timeChanges(world: World, from: number, to: number, previous = from - (to - from)): Rows {
  const all = referenceTimes(world).filter(({ start }) => isIn(start, { from: previous, to }))
  const asOf = referenceAsOf(world)?.as_of_at ?? Number.NaN
  const placeOf = (start: number, first: number, last: number) =>
    Math.max(
      0,
      Math.min(
        Math.floor((start - first) / week),
        Math.floor((Math.round((last - first) / 86_400) + 3) / 7) - 1,
      ),
    )
  const measures: [string, (one: Reference) => unknown][] = [
    ['time_to_ack', ({ times }) => times.time_to_ack_s],
    ['time_to_close_handled', ({ times }) => (times.is_handled_by_people ? times.time_to_close_s : null)],
    ['time_to_close', ({ times }) => times.time_to_close_s],
  ]
  return measures.flatMap(([measure, secondsOf]) =>
    cube(
      all.flatMap((one) => {
        if (measure !== 'time_to_close' && one.muted) return []
        const start = one.start!
        const isNow = start >= from
        const watched = (isNow ? asOf : asOf - to + from) - start
        if (!(watched >= 0)) return []
        const seconds = secondsOf(one)
        const isSeen = typeof seconds === 'number' && seconds <= watched
        const closed = one.times.time_to_close_s
        const isOpen = one.times.is_open === true || (typeof closed === 'number' && closed > watched)
        if (!isSeen && !isOpen) return []
        const observation: Observation = {
          isNow,
          place: isNow ? placeOf(start, from, to) : placeOf(start, previous, from),
          seconds: isSeen ? seconds : Number.POSITIVE_INFINITY,
        }
        return [{ severity: one.row.incident_severity, team: one.team, observation }]
      }),
      (rows) => {
        const {
          pairs: _,
          verdict,
          ...change
        } = durationChange(
          rows.map(({ observation }) => observation),
          Number.isFinite,
        )
        return {
          measure,
          ...change,
          verdict: verdict.replace('shorter', 'faster').replace('longer', 'slower'),
        }
      },
    ),
  )
}
