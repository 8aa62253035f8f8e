import type { World } from '../support/world.ts'
import { cube, groupsOf, named, type Rows, type Span, share, started, threshold } from './reference-groups.ts'
import { wilson } from './reference-statistics.ts'
import { type Reference, referenceTimes } from './reference-times.ts'

export function incidentRepeats(world: World): Rows {
  const all = referenceTimes(world).filter(({ row }) => row.dedup_key !== '')
  const closes = all.filter(({ times }) => typeof times.time_to_close_s === 'number')
  const before = new Map<string, Reference>()
  const found = new Map<string, Reference>()
  // Chronological starts and closes. At equal times starts come first, and the close with the smallest id comes last.
  const moments = [
    ...all.flatMap((one) => (one.start === undefined ? [] : [{ at: one.start, isStart: true, one }])),
    ...closes.map((one) => ({ at: one.closedAt!, isStart: false, one })),
  ].sort(
    (a, b) =>
      a.at - b.at ||
      Number(b.isStart) - Number(a.isStart) ||
      (a.one.row.incident_id < b.one.row.incident_id ? 1 : -1),
  )
  for (const { isStart, one } of moments) {
    const last = before.get(one.row.dedup_key)
    if (!isStart) before.set(one.row.dedup_key, one)
    else if (last) found.set(one.row.incident_id, last)
  }
  return all.map(({ row, start }) => {
    const last = found.get(row.incident_id)
    const since = last === undefined ? null : start! - last.closedAt!
    return {
      incident_id: row.incident_id,
      previous_incident_id: last?.row.incident_id ?? null,
      previous_closed_at: last?.closedAt ?? null,
      since_close_s: since,
      is_repeat: since !== null && since <= threshold(world, 'repeat_within_s'),
    }
  })
}

type State = World['incidents'][number] | World['versions'][number]

const worstFirst = ['Critical', 'Warning', 'Info', 'Ok']
const rankOf = ({ incident_severity }: State) =>
  worstFirst.includes(incident_severity) ? worstFirst.indexOf(incident_severity) : worstFirst.length
/** The time of a change: `updated_at`, but no later than the read that found the change. */
const changedAt = ({ updated_at, _seen_at }: State) => Math.min(updated_at || _seen_at, _seen_at)
const isReopened = (before: State, after: State) =>
  before.progress === 'Closed' && after.progress !== 'Closed'

/** A severity of an incident and when it was first seen. `since_at` is null for the first one. */
export interface Rating {
  severity: string
  since_at: number | null
  is_raised: boolean
}

function ratingsOf(states: readonly State[]): Rating[] {
  return states.flatMap((state, place) => {
    const before = states[place - 1]
    if (before?.incident_severity === state.incident_severity) return []
    const since_at = before ? changedAt(state) : null
    const is_raised = before !== undefined && rankOf(state) < rankOf(before)
    return [{ severity: state.incident_severity, since_at, is_raised }]
  })
}

/** Summarizes the changes between the versions of an incident, which must be in chronological order. */
function courseOf(states: readonly State[]) {
  const changes = (test: (before: State, after: State) => boolean) =>
    states.slice(1).filter((state, place) => test(states[place]!, state)).length
  const reopened = states.slice(1).flatMap((after, place) => {
    const before = states[place]!
    return isReopened(before, after) && before.close_time > 0 ? [{ closed: before.close_time, after }] : []
  })
  return {
    first_seen_at: Math.min(...states.map(({ _seen_at }) => _seen_at)),
    first_severity: states[0]!.incident_severity,
    severity_changes: changes((before, after) => before.incident_severity !== after.incident_severity),
    severities: ratingsOf(states),
    reopen_count: changes(isReopened),
    first_closed_at: reopened.length === 0 ? null : Math.min(...reopened.map(({ closed }) => closed)),
    closed_s: reopened.reduce((sum, { closed, after }) => sum + Math.max(0, changedAt(after) - closed), 0),
  }
}

function formerOf(world: World): Map<string, State[]> {
  const sorted = world.versions.toSorted((a, b) => a._replaced_at - b._replaced_at || a._seen_at - b._seen_at)
  return groupsOf(sorted, ({ incident_id }) => incident_id)
}

export function incidentChanges(world: World): Rows {
  return [...formerOf(world)].map(([incident_id, former]) => ({
    incident_id,
    ...courseOf([...former, ...world.incidents.filter((row) => row.incident_id === incident_id)]),
  }))
}

function incidentHistory(world: World): Rows {
  const former = formerOf(world)
  return referenceTimes(world).map(({ row, open }) => {
    const course = courseOf([...(former.get(row.incident_id) ?? []), row])
    return {
      incident_id: row.incident_id,
      ...course,
      is_severity_changed: course.first_severity !== row.incident_severity,
      is_reopened: course.reopen_count > 0 || (open && row.close_time !== 0),
    }
  })
}

export function recurrence(world: World, span: Span): Rows {
  const repeats = new Map(incidentRepeats(world).map((row) => [row.incident_id, row.is_repeat]))
  const histories = new Map(incidentHistory(world).map((row) => [row.incident_id, row]))
  return cube(started(referenceTimes(world), span).map(named), (rows) => {
    const ids = rows.map(({ row }) => row.incident_id)
    const withKey = ids.filter((id) => repeats.has(id)).length
    const repeated = ids.filter((id) => repeats.get(id)).length
    const reopened = ids.filter((id) => histories.get(id)!.is_reopened).length
    return {
      incidents: rows.length,
      with_key: withKey,
      repeats: repeated,
      repeat_share: share(repeated, withKey),
      repeat_low: withKey === 0 ? null : wilson(repeated, withKey)[0],
      repeat_high: withKey === 0 ? null : wilson(repeated, withKey)[1],
      reopened,
      reopened_share: reopened / rows.length,
      severity_changed: ids.filter((id) => histories.get(id)!.is_severity_changed).length,
    }
  })
}
