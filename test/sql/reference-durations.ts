import type { World } from '../support/world.ts'
import { cube, mean, type Rows, type Span, started, threshold } from './reference-groups.ts'
import { interval, meanInterval } from './reference-intervals.ts'
import { incidentChanges } from './reference-recurrence.ts'
import { incidentResponse } from './reference-response.ts'
import { quantile, survival } from './reference-statistics.ts'
import { bad, gap, good } from './reference-timed.ts'
import { type Reference, referenceTimes } from './reference-times.ts'

/**
 * Computes the time to resolve that reports show: from closed incidents, or by survival analysis if a tenth or more are
 * open.
 */
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

export function timeMeasures(world: World, of: readonly Reference[]): Rows {
  const [fewest, fewestForP90] = [threshold(world, 'interval_min_n'), threshold(world, 'p90_min_n')]
  return measuresOf(world).flatMap(([measure, counts, secondsOf]) => {
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

type Measure = [
  name: string,
  counts: (one: Reference) => boolean,
  secondsOf: (one: Reference) => number | undefined,
]

function measuresOf(world: World): Measure[] {
  const delays = new Map(
    incidentResponse(world).map((row) => [
      row.incident_id,
      gap0(row.first_assignment_delay_s, row.is_negative_assignment),
    ]),
  )
  const changes = new Map(incidentChanges(world).map((row) => [row.incident_id, row]))
  const isHandled = ({ muted, times }: Reference) => times.is_handled_by_people === true && !muted
  return [
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
}

const gap0 = (seconds: unknown, isNegative: unknown) =>
  isNegative ? -1 : typeof seconds === 'number' ? seconds : undefined
