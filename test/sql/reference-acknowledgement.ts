import type { World } from '../support/world.ts'
import { cube, named, type Rows, type Span, share, started } from './reference-groups.ts'
import { incidentChanges, type Rating } from './reference-recurrence.ts'
import { exactInterval, wilson } from './reference-statistics.ts'
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

/** One measure of an incident compared with the target of its severity at that time. */
interface Aim {
  severity: string
  raised_s: number | null
  target_s: number | null
  due_s: number | null
  hours: string | null
  goal: number | null
  outcome: string | null
  late_s: number | null
}

interface Judged {
  one: Reference
  ack: Aim
  resolve: Aim
}

/** The last rating before a time, or the current rating if no time is given. */
function ratingAt(ratings: readonly Rating[], moment: number | undefined): Rating | undefined {
  return ratings.findLast(({ since_at }) => since_at === null || moment === undefined || since_at < moment)
}

const nothing = {
  ack_target_s: null,
  resolve_target_s: null,
  ack_goal: null,
  resolve_goal: null,
  ack_hours: null,
  resolve_hours: null,
}

type Place = Pick<Reference, 'team'> & { readonly row: Pick<Reference['row'], 'dimensions'> }

/** The strictest custom targets that apply to the place, or else the targets of the severity. */
function targetFor({ settings }: World, { team, row }: Place, severity: string | undefined) {
  const isOf = (one: { severity: string }) => one.severity === severity
  const own = (measure: 'ack' | 'resolve') => {
    const mine = settings.ownTargets.filter(
      (one) =>
        isOf(one) &&
        one.measure === measure &&
        one.value === (one.scope === 'team' ? team : row.dimensions?.[one.scope]),
    )
    const overriding = mine.filter(({ overrides }) => overrides)
    if (overriding.length > 0) return overriding.reduce((a, b) => (b.rank > a.rank ? b : a))
    const seconds = Math.min(...mine.map(({ target_s }) => target_s ?? Number.POSITIVE_INFINITY))
    const shortest = mine.filter(({ target_s }) => (target_s ?? Number.POSITIVE_INFINITY) === seconds)
    const always = shortest.filter(({ hours }) => hours === null)
    return (always.length > 0 ? always : shortest).toSorted((a, b) => b.rank - a.rank)[0]
  }
  const general = settings.targets.find(isOf)
  const [ack, resolve] = [own('ack'), own('resolve')]
  if (!general && !ack && !resolve) return nothing
  const held = { ...nothing, ...general }
  if (ack) Object.assign(held, { ack_target_s: ack.target_s, ack_goal: ack.goal, ack_hours: ack.hours })
  if (resolve)
    Object.assign(held, {
      resolve_target_s: resolve.target_s,
      resolve_goal: resolve.goal,
      resolve_hours: resolve.hours,
    })
  return held
}

export const targetsFor = (world: World): Rows => {
  const places = new Map(
    referenceTimes(world).map((one) => [JSON.stringify([one.team, one.row.dimensions]), one]),
  )
  return [...places.values()].flatMap((place) =>
    ['Critical', 'Warning', 'Info', 'Ok'].flatMap((severity) => {
      const found = targetFor(world, place, severity)
      if (found === nothing) return []
      const { severity: _, ...aims } = { severity, ...found }
      return [{ team_name: place.team, severity, ...aims }]
    }),
  )
}

/** The earlier of close and recovery. An end before the start does not count. */
function endOf({ start, closedAt, row }: Reference): number | undefined {
  const ends = [closedAt, row.end_time || undefined].filter((at) => at !== undefined && at >= start!)
  return ends.length > 0 ? Math.min(...(ends as number[])) : undefined
}

function judge(world: World): Judged[] {
  const asOf = referenceAsOf(world)?.as_of_at ?? null
  const changes = new Map(incidentChanges(world).map((row) => [row.incident_id, row.severities as Rating[]]))
  const aim = (
    one: Reference,
    measure: 'ack' | 'resolve',
    doneAt: number | undefined,
    moment: number | undefined,
    endedAt: number | undefined,
    isUnknown: boolean,
  ): Aim => {
    const rating = ratingAt(changes.get(one.row.incident_id) ?? [], moment)
    const severity = rating?.severity ?? one.row.incident_severity
    const target = targetFor(world, one, severity)
    const target_s = target[`${measure}_target_s`]
    const hours = target[`${measure}_hours`] ?? null
    const since = rating?.is_raised ? rating.since_at! : 0
    const isLater = one.start !== undefined && since > one.start
    const from = isLater ? since : one.start
    const due_s =
      hours === null || target_s === null ? target_s : world.dueAfter!(from!, target_s, hours, one.team)
    const asked = { target_s, due_s, hours, goal: target[`${measure}_goal`] }
    const outcome = () => {
      if (one.muted || due_s === null || from === undefined || isUnknown) return null
      if (doneAt !== undefined && doneAt < one.start!) return null
      if (doneAt !== undefined && doneAt > from + due_s) return 'missed'
      if (doneAt !== undefined)
        return measure === 'resolve' && one.times.close_type === 'auto_timeout' ? 'ended_early' : 'met'
      if (measure === 'ack' && endedAt !== undefined && endedAt <= from + due_s) return 'ended_early'
      if (measure === 'ack' && !one.open && endedAt === undefined) return null
      return asOf === null ? null : asOf - from > due_s ? 'missed' : 'pending'
    }
    const said = outcome()
    const until = doneAt ?? (one.open ? asOf : null)
    const late_s = said === 'missed' && until !== null ? until - (from! + due_s!) : null
    const raised_s = isLater ? since - one.start! : null
    return { severity, raised_s, ...asked, outcome: said, late_s }
  }
  return referenceTimes(world).map((one) => {
    const [acked, closed] = [one.row.ack_time || undefined, one.closedAt]
    return {
      one,
      ack: aim(one, 'ack', acked, acked ?? closed, endOf(one), false),
      resolve: aim(one, 'resolve', closed, closed, undefined, !one.open && closed === undefined),
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
      .map(({ one, ack, resolve }) => ({
        team: one.team,
        ...(measure === 'resolve' ? resolve : ack),
      }))
      .filter(({ outcome }) => outcome !== null)
    return cube(outcomes, (rows, severity) => {
      const count = (word: string) => rows.filter(({ outcome }) => outcome === word).length
      const [met, missed] = [count('met'), count('missed')]
      const all = new Set(rows.map((one) => one.target_s))
      const goals = rows.map((one) => one.goal)
      const isTold = !goals.includes(null) && (severity !== '(all)' || new Set(goals).size === 1)
      const goal = !isTold
        ? null
        : new Set(goals).size === 1
          ? goals[0]!
          : (goals as number[]).reduce((sum, one) => sum + one, 0) / goals.length
      const part = share(met, met + missed)
      const [low, high] = part === null ? [null, null] : exactInterval(met, met + missed)
      return {
        measure,
        target_s: severity !== '(all)' && all.size === 1 ? rows[0]!.target_s : null,
        is_in_hours: rows.some(({ hours }) => hours !== null),
        met,
        missed,
        pending: count('pending'),
        ended_early: count('ended_early'),
        share: part,
        share_low: low,
        share_high: high,
        goal,
        is_goal_met: part === null || goal === null ? null : part >= goal,
      }
    })
  })
}
