import { type Reckoned, reckonAsOf, reckonTimes } from './reckoned-times.ts'
import type { World } from './world.ts'

type Rows = Record<string, unknown>[]

/** Linear interpolation between the two nearest ranks. */
export function quantile(values: readonly number[], p: number): number | null {
  const sorted = values.toSorted((a, b) => a - b)
  const rank = (sorted.length - 1) * p
  const [low, high] = [sorted[Math.floor(rank)], sorted[Math.ceil(rank)]]
  return low === undefined || high === undefined ? null : low + (high - low) * (rank - Math.floor(rank))
}

export function severityTimes(world: World): Rows {
  const all = reckonTimes(world)
  const measures: [string, string, string, Reckoned[]][] = [
    ['time_to_ack', 'time_to_ack_s', 'is_negative_ack', all.filter(({ muted }) => !muted)],
    [
      'time_to_close_handled',
      'time_to_close_s',
      'is_negative_close',
      all.filter((r) => r.times.is_handled_by_people),
    ],
    ['time_to_close', 'time_to_close_s', 'is_negative_close', all],
    ['time_to_recover', 'time_to_recover_s', 'is_negative_recover', all],
  ]
  return measures.flatMap(([measure, column, flag, population]) => {
    const severities = new Set(population.flatMap(({ row }) => ['(all)', row.incident_severity]))
    return [...severities].map((severity) => {
      const rows = population.filter(({ row }) => severity === '(all)' || row.incident_severity === severity)
      const values = rows.map(({ times }) => times[column]).filter((value) => typeof value === 'number')
      const negative = rows.filter(({ times }) => times[flag]).length
      return {
        measure,
        incident_severity: severity,
        incidents: rows.length,
        n: values.length,
        negative,
        without_time: rows.length - values.length - negative,
        mean_s: values.length === 0 ? null : values.reduce((a, b) => a + b, 0) / values.length,
        median_s: quantile(values, 0.5),
        p90_s: values.length < 10 ? null : quantile(values, 0.9),
        max_s: values.length === 0 ? null : Math.max(...values),
      }
    })
  })
}

/** By the definition: at each time, those who closed then over those seen open just before. */
export function survival(all: readonly Reckoned[]): Rows {
  const seen = all.flatMap(({ times, open }) =>
    typeof times.survival_s === 'number' ? [{ at: times.survival_s, open }] : [],
  )
  const moments = [...new Set(seen.map(({ at }) => at))].sort((a, b) => a - b)
  let share = 1
  return moments.map((t_s) => {
    const at_risk = seen.filter(({ at }) => at >= t_s).length
    const leaving = seen.filter(({ at }) => at === t_s)
    const closed = leaving.filter(({ open }) => !open).length
    share -= (share * closed) / at_risk
    return { t_s, at_risk, closed, censored: leaving.length - closed, survival: share }
  })
}

export function postMortemCoverage(world: World): Rows {
  const closed = reckonTimes(world)
    .filter(({ open }) => !open)
    .map(({ start, closedAt, row }) => {
      const written = world.postMortems.find(
        ({ post_mortem_id }) => post_mortem_id === row.post_mortem_id,
      )?.created_at
      const lag = written === undefined || closedAt === undefined ? [] : [written - closedAt]
      return { month: start === undefined ? null : monthOf(start), severity: row.incident_severity, row, lag }
    })
  const groups = new Map(closed.map(({ month, severity }) => [`${month}/${severity}`, { month, severity }]))
  return [...groups.values()].map(({ month, severity }) => {
    const rows = closed.filter((one) => one.month === month && one.severity === severity)
    const linked = rows.filter(({ row }) => row.post_mortem_id !== '').length
    const lags = rows.flatMap(({ lag }) => lag)
    const kept = lags.filter((lag) => lag >= 0)
    const [low, high] = wilson(linked, rows.length)
    return {
      month,
      incident_severity: severity,
      closed: rows.length,
      with_post_mortem: linked,
      coverage: linked / rows.length,
      coverage_low: low,
      coverage_high: high,
      lag_n: kept.length,
      lag_negative: lags.length - kept.length,
      lag_median_s: quantile(kept, 0.5),
    }
  })
}

const monthOf = (at: number) => Date.parse(`${new Date(at * 1000).toISOString().slice(0, 7)}-01`) / 1000

/**
 * The two roots of (p - rate)² = z² p (1 - p) / n, which is how Wilson found the interval.
 */
export function wilson(hits: number, trials: number): [number, number] {
  const z2n = 1.96 ** 2 / trials
  const rate = hits / trials
  const [a, b, c] = [1 + z2n, -(2 * rate + z2n), rate ** 2]
  const root = Math.sqrt(b * b - 4 * a * c)
  return [(-b - root) / (2 * a), (-b + root) / (2 * a)]
}

export function dataQuality(world: World): Rows {
  const all = world.incidents
  const kept = reckonTimes(world)
  const count = (test: (one: Reckoned) => boolean) => ({
    affected: kept.filter(test).length,
    total: kept.length,
  })
  const known = reckonAsOf(world)
  if (!known) return []
  const { as_of_at, run_id } = known
  const windows = world.windows.filter((window) => window.run_id === run_id)
  const closedBefore = ({ closedAt }: Reckoned, time: number) =>
    time > 0 && closedAt !== undefined && closedAt < time
  const checks: Record<string, { affected: number; total: number | null }> = {
    deleted: { affected: all.filter((row) => row.deleted_at > 0).length, total: all.length },
    vanished: {
      affected: all.filter((row) => row.deleted_at === 0 && row.vanished_at > 0).length,
      total: all.length,
    },
    muted: count(({ muted }) => muted),
    merged_away: count(({ times }) => times.close_type === 'merged_away'),
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
