import { besides } from './reckoned-macros.ts'
import { noisiestSources, responderPages } from './reckoned-pages.ts'
import { dataQuality, postMortemCoverage, severityTimes, survival } from './reckoned-statistics.ts'
import { reckonAsOf, reckonTimes } from './reckoned-times.ts'
import type { World } from './world.ts'

type Rows = Record<string, unknown>[]
const day = 86_400

/** Every metric a second time, in plain TypeScript, by relation. Rows come in no order. */
export const reckoned: Record<string, (world: World) => Rows> = {
  as_of: (world) => [reckonAsOf(world) ?? []].flat(),
  incident_times: (world) => reckonTimes(world).map(({ times }) => times),
  incident_labels: (world) =>
    reckonTimes(world).flatMap(({ row }) =>
      Object.entries(row.labels).map(([label, value]) => ({ incident_id: row.incident_id, label, value })),
    ),
  daily_severity: dailySeverity,
  open_incidents: (world) =>
    reckonTimes(world)
      .filter(({ open }) => open)
      .map(({ row, times }) => ({
        incident_id: row.incident_id,
        age_s: times.age_s,
        age_bucket: bucket(times.age_s),
      })),
  unacknowledged: (world) =>
    reckonTimes(world)
      .filter(({ muted, acknowledged }) => !muted && !acknowledged)
      .map(({ row, times }) => ({
        incident_id: row.incident_id,
        outcome: outcomes[String(times.close_type)],
      })),
  severity_times: severityTimes,
  responder_pages: responderPages,
  noisiest_sources: noisiestSources,
  folder_rule_trend: ({ snapshots }) =>
    snapshots.map((row) => {
      const before = snapshots
        .filter((other) => other.folder_id === row.folder_id && other.snapshot_at < row.snapshot_at)
        .reduce<typeof row | undefined>((a, b) => (a && a.snapshot_at > b.snapshot_at ? a : b), undefined)
      return {
        ...row,
        triggered_share: row.rule_total === 0 ? null : row.triggered_rule_count / row.rule_total,
        triggered_change: before ? row.triggered_rule_count - before.triggered_rule_count : null,
      }
    }),
  post_mortem_coverage: postMortemCoverage,
  data_quality: dataQuality,
  ...besides,
  'survival_curve()': (world) => survival(reckonTimes(world)),
  "survival_curve(of_severity := 'Info', of_team := 'Money')": (world) =>
    survival(
      reckonTimes(world).filter(({ row, team }) => row.incident_severity === 'Info' && team === 'Money'),
    ),
}

const outcomes: Record<string, string> = {
  auto_recovered: 'self_healed',
  manual: 'closed_by_hand',
  auto_timeout: 'timed_out',
  merged_away: 'merged_away',
  null: 'still_open',
}

function bucket(age: unknown): string {
  if (typeof age !== 'number') return '(unknown)'
  const steps: [number, string][] = [
    [3600, '<1 h'],
    [day, '<1 d'],
    [7 * day, '<7 d'],
  ]
  return steps.find(([limit]) => age < limit)?.[1] ?? 'older'
}

function dailySeverity(world: World): Rows {
  const started = reckonTimes(world).flatMap(({ start, row }) =>
    start === undefined ? [] : [{ day: start - (start % day), severity: row.incident_severity }],
  )
  const asOf = reckonAsOf(world)?.as_of_at ?? null
  const days = new Set(started.map((row) => row.day))
  if (asOf !== null) for (let at = Math.min(...days); at <= asOf; at += day) days.add(at)
  const severities = new Set(['Critical', 'Warning', 'Info', 'Ok', ...started.map((row) => row.severity)])
  return [...days].flatMap((at) => {
    const ofDay = started.filter((row) => row.day === at)
    return [...severities].map((severity) => {
      const incidents = ofDay.filter((row) => row.severity === severity).length
      const share = ofDay.length === 0 ? null : incidents / ofDay.length
      return { day: at, incident_severity: severity, incidents, share, is_partial: at + day > (asOf ?? at) }
    })
  })
}
