import type { World } from '../support/world.ts'
import { cube, named, type Rows, type Span, share, started } from './reference-groups.ts'
import { incidentChanges } from './reference-recurrence.ts'
import { wilson } from './reference-statistics.ts'
import { type Reference, referenceAsOf, referenceTimes } from './reference-times.ts'

export function acknowledgement(world: World, span: Span): Rows {
  const heard = started(referenceTimes(world), span).filter(({ muted }) => !muted)
  return cube(heard.map(named), (rows) => {
    const acknowledged = rows.filter((one) => one.acknowledged).length
    const [rate_low, rate_high] = wilson(acknowledged, rows.length)
    const others = rows.filter((one) => !one.acknowledged)
    const closed = (type: string) => others.filter(({ times }) => times.close_type === type).length
    return {
      incidents: rows.length,
      acknowledged,
      rate: acknowledged / rows.length,
      rate_low,
      rate_high,
      self_healed: closed('auto_recovered'),
      closed_by_hand: closed('manual'),
      timed_out: closed('auto_timeout'),
      still_open: others.filter(({ open }) => open).length,
    }
  })
}

interface Judged {
  one: Reference
  raised_s: number | null
  ack_target_s: number | null
  ack_outcome: string | null
  ack_late_s: number | null
  resolve_target_s: number | null
  resolve_outcome: string | null
  resolve_late_s: number | null
}

function judge(world: World): Judged[] {
  const asOf = referenceAsOf(world)?.as_of_at ?? null
  const changes = new Map(incidentChanges(world).map((row) => [row.incident_id, row]))
  return referenceTimes(world).map((one) => {
    const target = world.settings.targets.find(({ severity }) => severity === one.row.incident_severity)
    const ack_target_s = target?.ack_target_s ?? null
    const resolve_target_s = target?.resolve_target_s ?? null
    const raised = changes.get(one.row.incident_id)?.severity_raised_at as number | null | undefined
    const isLater = raised != null && one.start !== undefined && raised > one.start
    const from = isLater ? raised : one.start
    const age = asOf === null || from === undefined ? null : asOf - from
    const outcome = (limit: number | null, taken: number | undefined, isUnknown: boolean) => {
      if (one.muted || limit === null || one.start === undefined || isUnknown) return null
      if (taken !== undefined) {
        if (taken < 0) return null
        return one.start + taken > from! + limit ? 'missed' : 'met'
      }
      return age === null ? null : age > limit ? 'missed' : 'pending'
    }
    const since = (at: number | undefined) =>
      at === undefined || one.start === undefined ? undefined : at - one.start
    const [acked, closed] = [one.row.ack_time || undefined, one.closedAt]
    const late = (limit: number | null, outcome: string | null, doneAt: number | undefined) => {
      const until = doneAt ?? (one.open ? asOf : null)
      return outcome === 'missed' && until !== null ? until - (from! + limit!) : null
    }
    const ack_outcome = outcome(ack_target_s, since(acked), false)
    const resolve_outcome = outcome(resolve_target_s, since(closed), !one.open && closed === undefined)
    return {
      one,
      raised_s: isLater ? raised - one.start! : null,
      ack_target_s,
      ack_outcome,
      ack_late_s: late(ack_target_s, ack_outcome, acked),
      resolve_target_s,
      resolve_outcome,
      resolve_late_s: late(resolve_target_s, resolve_outcome, closed),
    }
  })
}

export const incidentTargets = (world: World): Rows =>
  judge(world).map(({ one, ...judged }) => ({ incident_id: one.row.incident_id, ...judged }))

export function targetAttainment(world: World, span: Span): Rows {
  const judged = judge(world)
  const kept = new Set(
    started(
      judged.map(({ one }) => one),
      span,
    ),
  )
  return (['acknowledge', 'resolve'] as const).flatMap((measure) => {
    const outcomes = judged
      .filter(({ one }) => kept.has(one))
      .map(({ one, ack_outcome, resolve_outcome }) => ({
        severity: one.row.incident_severity,
        team: one.team,
        outcome: measure === 'resolve' ? resolve_outcome : ack_outcome,
      }))
      .filter(({ outcome }) => outcome !== null)
    return cube(outcomes, (rows, severity) => {
      const count = (word: string) => rows.filter(({ outcome }) => outcome === word).length
      const [met, missed] = [count('met'), count('missed')]
      const target = world.settings.targets.find((one) => one.severity === severity)
      const goal = (measure === 'resolve' ? target?.resolve_goal : target?.ack_goal) ?? null
      const [low, high] = met + missed === 0 ? [null, null] : wilson(met, met + missed)
      const part = share(met, met + missed)
      return {
        measure,
        target_s: (measure === 'resolve' ? target?.resolve_target_s : target?.ack_target_s) ?? null,
        met,
        missed,
        pending: count('pending'),
        share: part,
        share_low: low,
        share_high: high,
        goal,
        is_goal_met: part === null || goal === null ? null : part >= goal,
      }
    })
  })
}
