import type { World } from '../support/world.ts'
import { groupsOf, mean, type Rows, type Span, started, threshold } from './reference-groups.ts'
import { quantile } from './reference-statistics.ts'
import { bad, gap, good } from './reference-timed.ts'
import { type Reference, referenceTimes } from './reference-times.ts'

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

export const firstAnswers = (world: World): Rows =>
  [...answersOf(world)].map(([incident_id, answered_at]) => ({ incident_id, answered_at }))

function policies(world: World, of: readonly Reference[]): Policy[] {
  const answers = answersOf(world)
  return of.flatMap((one) => {
    const { row, start, closedAt, open, muted, times } = one
    const ack = row.ack_time || undefined
    const own = row.byPeople ?? row
    const deeds = [
      own.ack_time || undefined,
      answers.get(row.incident_id),
      own.closer_id === 0 ? undefined : closedAt,
    ]
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
      ['time_to_resolve', 'closed_by_timer', times.close_type === 'auto_timeout', gap(start, closedAt)],
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
