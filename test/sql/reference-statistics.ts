import type { World } from '../support/world.ts'
import { isMerged, type Reference, referenceAsOf, referenceTimes } from './reference-times.ts'

type Rows = Record<string, unknown>[]

export function quantile(values: readonly number[], p: number): number | null {
  const sorted = values.toSorted((a, b) => a - b)
  const rank = (sorted.length - 1) * p
  const [low, high] = [sorted[Math.floor(rank)], sorted[Math.ceil(rank)]]
  return low === undefined || high === undefined ? null : low + (high - low) * (rank - Math.floor(rank))
}

/**
 * The Kaplan-Meier estimate by its definition: the number closed at each time, and the number at risk just before that
 * time.
 */
export function survival(all: readonly Reference[], ofMuted = false): Rows {
  const seen = all.flatMap(({ times, open, muted }) =>
    muted === ofMuted && typeof times.survival_s === 'number'
      ? [{ at: times.survival_s, open: open || times.close_type === 'auto_timeout' }]
      : [],
  )
  const moments = [...new Set(seen.map(({ at }) => at))].sort((a, b) => a - b)
  let share = 1
  let variance = 0
  return moments.map((t_s) => {
    const at_risk = seen.filter(({ at }) => at >= t_s).length
    const leaving = seen.filter(({ at }) => at === t_s)
    const closed = leaving.filter(({ open }) => !open).length
    share -= (share * closed) / at_risk
    variance += closed / (at_risk * (at_risk - closed))
    // Greenwood's interval on the scale ln(-ln S). The interval is symmetric on this scale, so its ends are powers of
    // the share.
    const reach = (1.959964 * Math.sqrt(variance)) / Math.log(share)
    const isInside = share > 1e-12 && share < 1
    return {
      t_s,
      at_risk,
      closed,
      censored: leaving.length - closed,
      survival: share,
      survival_low: isInside ? share ** Math.exp(-reach) : null,
      survival_high: isInside ? share ** Math.exp(reach) : null,
    }
  })
}

/** Wilson interval as the two roots of (p - rate)² = z² p (1 - p) / n. */
export function wilson(hits: number, trials: number, z = 1.96): [number, number] {
  const z2n = z ** 2 / trials
  const rate = hits / trials
  const [a, b, c] = [1 + z2n, -(2 * rate + z2n), rate ** 2]
  const root = Math.sqrt(b * b - 4 * a * c)
  return [(-b - root) / (2 * a), (-b + root) / (2 * a)]
}

export function dataQuality(world: World): Rows {
  const all = world.incidents
  const present = all.filter((row) => row.deleted_at === 0 && row.vanished_at === 0)
  const kept = referenceTimes(world)
  const count = (test: (one: Reference) => boolean) => ({
    affected: kept.filter(test).length,
    total: kept.length,
  })
  const known = referenceAsOf(world)
  if (!known) return []
  const { as_of_at, run_id } = known
  const windows = world.windows.filter((window) => window.run_id === run_id)
  const closedBefore = ({ closedAt }: Reference, time: number) =>
    time > 0 && closedAt !== undefined && closedAt < time
  const checks: Record<string, { affected: number; total: number | null }> = {
    deleted: { affected: all.filter((row) => row.deleted_at > 0).length, total: all.length },
    vanished: {
      affected: all.filter((row) => row.deleted_at === 0 && row.vanished_at > 0).length,
      total: all.length,
    },
    muted: count(({ muted }) => muted),
    merged_away: { affected: present.filter(isMerged).length, total: present.length },
    corrected: count(() => false),
    negative_ack: count(({ row, start }) => row.ack_time > 0 && start !== undefined && row.ack_time < start),
    negative_close: count((one) => closedBefore(one, one.row.start_time)),
    negative_recover: count(
      ({ row, start }) => row.end_time > 0 && start !== undefined && row.end_time < start,
    ),
    closed_before_ack: count((one) => closedBefore(one, one.row.ack_time)),
    closed_before_recovery: count((one) => closedBefore(one, one.row.end_time)),
    created_before_start: count(({ row, start }) => start !== undefined && row.created_at < start),
    started_after_as_of: count(({ open, row }) => open && as_of_at !== null && row.start_time > as_of_at),
    closed_without_close_time: count(({ row }) => row.progress === 'Closed' && row.close_time === 0),
    close_time_while_open: count(({ row }) => row.progress !== 'Closed' && row.close_time !== 0),
    no_channel: count(({ row }) => row.channel_id === 0),
    unknown_team: count(({ row, team }) => row.channel_id !== 0 && team === '(unknown)'),
    wrong_measure: { affected: 0, total: 0 },
    before_channel_read: count(({ row, start }) => {
      const channel = world.channels.find(({ channel_id }) => channel_id === row.channel_id)
      return channel?.updated_at !== undefined && start !== undefined && start < channel.updated_at
    }),
    quarantined: { affected: world.quarantined, total: null },
    schema_drift: { affected: 0, total: null },
    windows_not_proven: {
      affected: windows.filter(({ state }) => state !== 'done').length,
      total: windows.length,
    },
  }
  return Object.entries(checks).map(([check_name, { affected, total }]) => ({
    check_name,
    affected,
    total,
    share: total ? affected / total : null,
  }))
}

/** Probability of at most `hits`, by the recursion of the binomial probabilities, as logarithms against underflow. */
export function exactTail(hits: number, trials: number, share: number): number {
  let term = trials * Math.log1p(-share)
  let sum = Math.exp(term)
  for (let k = 1; k <= hits; k++) {
    term += Math.log(((trials - k + 1) / k) * (share / (1 - share)))
    sum += Math.exp(term)
  }
  return sum
}

/** The 95% CI of Clopper and Pearson, by bisection of the two exact tails. */
export function exactInterval(hits: number, trials: number): [number, number] {
  const rootOf = (isBelow: (share: number) => boolean) => {
    let [low, high] = [0, 1]
    for (let step = 0; step < 60; step++) {
      const middle = (low + high) / 2
      if (isBelow(middle)) low = middle
      else high = middle
    }
    return low
  }
  return [
    hits === 0 ? 0 : rootOf((share) => exactTail(trials - hits, trials, 1 - share) < 0.025),
    hits === trials ? 1 : rootOf((share) => exactTail(hits, trials, share) > 0.025),
  ]
}
