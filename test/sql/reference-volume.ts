import type { World } from '../support/world.ts'
import { cube, named, type Rows, type Span, started, threshold } from './reference-groups.ts'
import { interval, meanInterval } from './reference-intervals.ts'
import { covered } from './reference-response.ts'
import { quantile, wilson } from './reference-statistics.ts'
import { type Reference, referenceAsOf, referenceTimes } from './reference-times.ts'

export function compression(world: World, span: Span): Rows {
  const alerted = started(referenceTimes(world), span).filter(({ row }) => row.alert_cnt > 0)
  return cube(alerted.map(named), (rows) => {
    const alert_events = rows.reduce((sum, { row }) => sum + row.alert_event_cnt, 0)
    const [low, high] = meanInterval(
      rows.map(({ row }) => row.alert_event_cnt),
      0,
    )
    return {
      incidents: rows.length,
      alert_events,
      compression: alert_events === 0 ? null : 1 - rows.length / alert_events,
      compression_low: low === null || low === 0 ? null : 1 - 1 / low,
      compression_high: high === null ? null : 1 - 1 / high,
    }
  })
}

export function selfHeal(world: World, span: Span): Rows {
  return cube(started(referenceTimes(world), span).map(named), (rows) => {
    const healed = rows.filter(
      ({ open, row }) =>
        !open &&
        row.ack_time === 0 &&
        row.closer_id === 0 &&
        row.end_time !== 0 &&
        !(row.creator_id === 0 && row.alert_cnt === 0),
    ).length
    const quick = rows.filter(({ start, closedAt }) => {
      const taken = start === undefined || closedAt === undefined ? -1 : closedAt - start
      return taken >= 0 && taken < threshold(world, 'quick_close_s')
    }).length
    const [self_heal_low, self_heal_high] = wilson(healed, rows.length)
    return {
      incidents: rows.length,
      self_healed: healed,
      self_heal_rate: healed / rows.length,
      self_heal_low,
      self_heal_high,
      quick_closes: quick,
      quick_close_share: quick / rows.length,
    }
  })
}

export function timeBetween(world: World, span: Span): Rows {
  const all = started(referenceTimes(world), span)
  const asOf = referenceAsOf(world)?.as_of_at ?? Number.POSITIVE_INFINITY
  const first = Math.min(...all.flatMap(({ start }) => (start === undefined ? [] : [start])))
  const seconds = Math.min(span.to ?? asOf, asOf) - (span.from ?? first)
  const known = Number.isFinite(seconds) ? seconds : null
  const hoursOf = new Map(world.settings.onCall.map((one) => [one.team_name, one.hours_per_week]))
  const together = [...hoursOf.values()].reduce((sum, hours) => sum + hours, 0)
  return cube(all.map(named), (rows, _, team) => {
    const weekly = team === '(all)' ? together || undefined : hoursOf.get(team)
    const hours = weekly === undefined || known === null ? null : (weekly * known) / (7 * 86_400)
    return {
      incidents: rows.length,
      period_hours: known === null ? null : known / 3600,
      mean_between_s: known === null ? null : known / rows.length,
      on_call_hours: hours,
      per_1000_hours: hours ? (1000 * rows.filter((one) => hoursOf.has(one.team)).length) / hours : null,
    }
  })
}

export function incidentHours(world: World, span: Span): Rows {
  const asOf = referenceAsOf(world)?.as_of_at ?? Number.POSITIVE_INFINITY
  const watched = referenceTimes(world).flatMap((one: Reference) => {
    const length = one.times.survival_s
    if (typeof length !== 'number') return []
    const from = Math.max(one.start!, span.from ?? one.start!)
    const to = Math.min(one.start! + length, span.to ?? Number.POSITIVE_INFINITY, asOf)
    return [{ severity: one.row.incident_severity, team: one.team, from, to }]
  })
  const begin = span.from ?? Math.min(...watched.map(({ from }) => from))
  const period_hours = (Math.min(span.to ?? Number.POSITIVE_INFINITY, asOf) - begin) / 3600
  return cube(
    watched.filter(({ from, to }) => to > from),
    (rows) => {
      const incident_hours = rows.reduce((sum, { from, to }) => sum + to - from, 0) / 3600
      const starts = rows.map(({ from }) => from).sort((a, b) => a - b)
      const ends = rows.map(({ to }) => to).sort((a, b) => a - b)
      let [peak, peakAt, left] = [0, 0, 0]
      for (const [place, at] of starts.entries()) {
        if (starts[place + 1] === at) continue
        while (left < ends.length && ends[left]! <= at) left++
        if (place + 1 - left > peak) [peak, peakAt] = [place + 1 - left, at]
      }
      return {
        incidents: rows.length,
        incident_hours,
        busy_hours: covered(rows.map(({ from, to }) => [from, to])) / 3600,
        period_hours,
        mean_concurrency: incident_hours / period_hours,
        peak_concurrency: peak,
        peak_at: peakAt,
      }
    },
  )
}

export function textCompleteness(world: World, span: Span): Rows {
  const handled = started(referenceTimes(world), span).filter(({ times }) => times.is_handled_by_people)
  return cube(handled.map(named), (rows) => {
    const range = () => wilson(count('root_cause', 'resolution', 'impact'), rows.length)
    const count = (...fields: ('root_cause' | 'resolution' | 'impact')[]) =>
      rows.filter(({ row }) => fields.every((field) => (row[field] ?? '').trim() !== '')).length
    return {
      incidents: rows.length,
      with_root_cause: count('root_cause'),
      root_cause_share: count('root_cause') / rows.length,
      with_resolution: count('resolution'),
      with_impact: count('impact'),
      complete: count('root_cause', 'resolution', 'impact'),
      complete_share: count('root_cause', 'resolution', 'impact') / rows.length,
      complete_low: range()[0],
      complete_high: range()[1],
    }
  })
}

export function learning(world: World, span: Span): Rows {
  const written = new Map(world.postMortems.map((one) => [one.post_mortem_id, one.created_at]))
  const closed = started(referenceTimes(world), span).filter(({ open }) => !open)
  return cube(closed.map(named), (rows) => {
    const linked = rows.filter(({ row }) => (row.post_mortem_id ?? '') !== '').length
    const lags = rows.flatMap(({ row, closedAt }) => {
      const at = written.get(row.post_mortem_id)
      return at === undefined || closedAt === undefined ? [] : [at - closedAt]
    })
    const kept = lags.filter((lag) => lag >= 0)
    const [lag_low_s, lag_high_s] = interval(
      kept.toSorted((a, b) => a - b),
      0.5,
      threshold(world, 'interval_min_n'),
    )
    const [coverage_low, coverage_high] = wilson(linked, rows.length)
    return {
      closed: rows.length,
      with_post_mortem: linked,
      coverage: linked / rows.length,
      coverage_low,
      coverage_high,
      lag_n: kept.length,
      lag_negative: lags.length - kept.length,
      lag_median_s: quantile(kept, 0.5),
      lag_low_s,
      lag_high_s,
      lag_p90_s: kept.length < threshold(world, 'p90_min_n') ? null : quantile(kept, 0.9),
    }
  })
}

const isCritical = ({ row, start }: Reference) => row.incident_severity === 'Critical' && start !== undefined

export function criticalGaps(all: readonly Reference[]): Rows {
  const criticals = all
    .filter(isCritical)
    .sort((a, b) => a.start! - b.start! || (a.row.incident_id < b.row.incident_id ? -1 : 1))
  return ['(all)', ...new Set(criticals.map(({ team }) => team))].flatMap((team_name) =>
    criticals
      .filter(({ team }) => team_name === '(all)' || team === team_name)
      .map((one, place, own) => ({
        team_name,
        incident_id: one.row.incident_id,
        start_time: one.start,
        previous_start_time: own[place - 1]?.start ?? null,
        days_since_previous: place === 0 ? null : (one.start! - own[place - 1]!.start!) / 86_400,
      })),
  )
}
