import type { World } from '../support/world.ts'
import { cube, named, type Rows, type Span, share, started } from './reference-groups.ts'
import { incidentChanges, type Rating } from './reference-recurrence.ts'
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

/** One measure of one incident against the target of the severity that was valid when it was done. */
interface Aim {
  severity: string
  raised_s: number | null
  target_s: number | null
  outcome: string | null
  late_s: number | null
}

interface Judged {
  one: Reference
  ack: Aim
  resolve: Aim
}

/** The last rating from before the moment; without a moment the present one. */
function ratingAt(ratings: readonly Rating[], moment: number | undefined): Rating | undefined {
  return ratings.findLast(({ since_at }) => since_at === null || moment === undefined || since_at < moment)
}

function judge(world: World): Judged[] {
  const asOf = referenceAsOf(world)?.as_of_at ?? null
  const changes = new Map(incidentChanges(world).map((row) => [row.incident_id, row.severities as Rating[]]))
  const aim = (
    one: Reference,
    measure: 'ack' | 'resolve',
    doneAt: number | undefined,
    moment: number | undefined,
    isUnknown: boolean,
  ): Aim => {
    const rating = ratingAt(changes.get(one.row.incident_id) ?? [], moment)
    const severity = rating?.severity ?? one.row.incident_severity
    const target = world.settings.targets.find((each) => each.severity === severity)
    const target_s = (measure === 'ack' ? target?.ack_target_s : target?.resolve_target_s) ?? null
    const since = rating?.is_raised ? rating.since_at! : 0
    const isLater = one.start !== undefined && since > one.start
    const from = isLater ? since : one.start
    const outcome = () => {
      if (one.muted || target_s === null || from === undefined || isUnknown) return null
      if (doneAt !== undefined)
        return doneAt < one.start! ? null : doneAt > from + target_s ? 'missed' : 'met'
      return asOf === null ? null : asOf - from > target_s ? 'missed' : 'pending'
    }
    const said = outcome()
    const until = doneAt ?? (one.open ? asOf : null)
    const late_s = said === 'missed' && until !== null ? until - (from! + target_s!) : null
    return { severity, raised_s: isLater ? since - one.start! : null, target_s, outcome: said, late_s }
  }
  return referenceTimes(world).map((one) => {
    const [acked, closed] = [one.row.ack_time || undefined, one.closedAt]
    return {
      one,
      ack: aim(one, 'ack', acked, acked ?? closed, false),
      resolve: aim(one, 'resolve', closed, closed, !one.open && closed === undefined),
    }
  })
}

export const incidentTargets = (world: World): Rows =>
  judge(world).map(({ one, ...aims }) => ({
    incident_id: one.row.incident_id,
    ...Object.fromEntries(
      Object.entries(aims).flatMap(([measure, aim]) =>
        Object.entries(aim).map(([name, value]) => [`${measure}_${name}`, value]),
      ),
    ),
  }))

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
      .map(({ one, ack, resolve }) => ({ team: one.team, ...(measure === 'resolve' ? resolve : ack) }))
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
