import type { Responder, World } from '../support/world.ts'
import {
  cube,
  groupsOf,
  isIn,
  named,
  type Rows,
  type Span,
  share,
  started,
  threshold,
} from './reference-groups.ts'
import { personName, responderPages } from './reference-pages.ts'
import { type Reference, referenceAsOf, referenceTimes } from './reference-times.ts'

function assignmentsOf(world: World): Map<string, Responder[]> {
  const found = new Map<string, Responder[]>()
  for (const one of world.responders) {
    if (one.person_id === 0) continue
    const list = found.get(one.incident_id) ?? []
    found.set(one.incident_id, list)
    list.push(one)
  }
  return found
}

const earliest = (times: readonly number[]) => {
  const known = times.filter((at) => at !== 0)
  return known.length === 0 ? undefined : Math.min(...known)
}

export function incidentResponse(world: World): Rows {
  const assignments = assignmentsOf(world)
  return referenceTimes(world).map(({ row, start }) => {
    const own = (assignments.get(row.incident_id) ?? []).filter(({ assigned_at }) => assigned_at !== 0)
    const joins = [...new Set(own.map(({ person_id }) => person_id))].map(
      (person) => earliest(own.filter((one) => one.person_id === person).map((one) => one.assigned_at))!,
    )
    const first = earliest(joins)
    const answered = earliest([
      (row.byPeople ?? row).ack_time,
      ...own.map(({ acknowledged_at }) => acknowledged_at),
    ])
    const delay = first === undefined || start === undefined ? undefined : first - start
    const layer = row.assigned_to.layer_idx
    return {
      incident_id: row.incident_id,
      people: joins.length,
      first_assigned_at: first ?? null,
      answered_at: answered ?? null,
      first_assignment_delay_s: delay === undefined || delay < 0 ? null : delay,
      is_negative_assignment: (delay ?? 0) < 0,
      is_escalated:
        (typeof layer === 'number' && layer > 0) ||
        joins.some((at) => at - first! > 60 && (answered === undefined || at < answered)),
      is_reassigned: joins.some((at) => answered !== undefined && at > answered),
    }
  })
}

export function incidentHolders(world: World): Rows {
  const assignments = assignmentsOf(world)
  return referenceTimes(world).flatMap(({ row }) => {
    const people = (assignments.get(row.incident_id) ?? []).map(({ person_id }) =>
      personName(world, person_id),
    )
    return people.length === 0 ? [] : [{ incident_id: row.incident_id, people: [...new Set(people)].sort() }]
  })
}

export function assignmentOutcomes(world: World): Rows {
  const known = new Map(referenceTimes(world).map((one) => [one.row.incident_id, one]))
  const assignments = assignmentsOf(world)
  return world.responders.flatMap((assignment) => {
    const one = known.get(assignment.incident_id)
    if (!one || one.muted || assignment.person_id === 0 || assignment.assigned_at === 0) return []
    const others = assignments
      .get(assignment.incident_id)!
      .some(({ acknowledged_at }) => acknowledged_at !== 0)
    const outcome =
      assignment.acknowledged_at !== 0
        ? 'answered'
        : others || one.acknowledged
          ? 'answered_by_others'
          : one.open
            ? 'still_open'
            : 'unanswered'
    return [
      {
        incident_id: assignment.incident_id,
        ordinal: assignment.ordinal,
        person_id: assignment.person_id,
        member_name: personName(world, assignment.person_id),
        assigned_at: assignment.assigned_at,
        acknowledged_at: assignment.acknowledged_at || null,
        outcome,
        is_unanswered: /by_others|unanswered/.test(outcome),
      },
    ]
  })
}

export function assignmentLoad(world: World): Rows {
  const known = new Map(referenceTimes(world).map((one) => [one.row.incident_id, one]))
  const given = new Map<number, Map<string, number>>()
  for (const { person_id, incident_id, assigned_at } of world.responders) {
    if (person_id === 0 || assigned_at === 0 || known.get(incident_id)?.muted !== false) continue
    const own = given.get(person_id) ?? new Map<string, number>()
    given.set(person_id, own)
    own.set(incident_id, Math.min(assigned_at, own.get(incident_id) ?? assigned_at))
  }
  const within = threshold(world, 'overload_within_s')
  return [...given].flatMap(([person_id, own]) => {
    const times = [...own.values()]
    return [...own].map(([incident_id, at]) => {
      const incidents_within = times.filter((other) => other <= at && other >= at - within).length
      const is_overload = incidents_within > threshold(world, 'overload_n')
      return { person_id, incident_id, assigned_at: at, incidents_within, is_overload }
    })
  })
}

interface Work {
  person_id: number
  one: Reference
  /** Time of the first assignment, or of the acknowledgement if that is earlier. */
  held: number
  /** Time of the first acknowledgement before the end. */
  from: number | undefined
  to: number
}

function work(world: World): Work[] {
  const asOf = referenceAsOf(world)?.as_of_at ?? undefined
  const known = new Map(referenceTimes(world).map((one) => [one.row.incident_id, one]))
  return [...assignmentsOf(world)].flatMap(([incident_id, list]) => {
    const one = known.get(incident_id)
    const to = one && (one.open ? asOf : one.closedAt)
    if (!one || to === undefined) return []
    return [...new Set(list.map(({ person_id }) => person_id))].flatMap((person_id) => {
      const own = list.filter((each) => each.person_id === person_id)
      const acknowledged = own.map((each) => each.acknowledged_at)
      const from = earliest(acknowledged)
      const held = earliest([...acknowledged, ...own.map((each) => each.assigned_at)])
      if (held === undefined || to <= held) return []
      return [{ person_id, one, held, from: from !== undefined && from < to ? from : undefined, to }]
    })
  })
}

export const responseSpans = (world: World): Rows =>
  work(world).map(({ person_id, one, held, from, to }) => ({
    person_id,
    incident_id: one.row.incident_id,
    held_at: held,
    started_at: from ?? null,
    ended_at: to,
  }))

export function covered(stretches: readonly (readonly [number, number])[]): number {
  let [length, reached] = [0, Number.NEGATIVE_INFINITY]
  for (const [from, to] of stretches.toSorted(([a], [b]) => a - b)) {
    if (to <= reached) continue
    length += to - Math.max(from, reached)
    reached = to
  }
  return length
}

export function responseEffort(world: World, span: Span): Rows {
  const cut = (from: number, to: number): [number, number][] => {
    const [first, last] = [Math.max(from, span.from ?? from), Math.min(to, span.to ?? to)]
    return last > first ? [[first, last]] : []
  }
  return [...groupsOf(work(world), ({ person_id }) => person_id)].flatMap(([person_id, all]) => {
    const open = all.flatMap(({ held, to }) => cut(held, to))
    const engaged = all.flatMap(({ from, to }) => (from === undefined ? [] : cut(from, to)))
    if (open.length === 0) return []
    return [
      {
        person_id,
        incidents: engaged.length,
        raw_effort_s: engaged.reduce((sum, [from, to]) => sum + to - from, 0),
        effort_s: covered(engaged),
        open_s: covered(open),
      },
    ]
  })
}

export function responseSummary(world: World, span: Span): Rows {
  const responses = new Map(incidentResponse(world).map((row) => [row.incident_id, row]))
  const outcomes = groupsOf(assignmentOutcomes(world), (row) => row.incident_id)
  const heard = started(referenceTimes(world), span).filter(({ muted }) => !muted)
  return cube(heard.map(named), (rows) => {
    const own = rows.map(({ row }) => responses.get(row.incident_id)!)
    const assignments = rows.flatMap(({ row }) => outcomes.get(row.incident_id) ?? [])
    const assigned = own.filter(({ people }) => people !== 0).length
    const [escalated, reassigned] = [
      own.filter((one) => one.is_escalated).length,
      own.filter((one) => one.is_reassigned).length,
    ]
    const unanswered = assignments.filter((one) => one.is_unanswered).length
    return {
      incidents: rows.length,
      assigned,
      escalated,
      escalated_share: share(escalated, assigned),
      reassigned,
      reassigned_share: share(reassigned, assigned),
      assignments: assignments.length,
      unanswered,
      unanswered_share: share(unanswered, assignments.length),
    }
  })
}

export function pagesByBand(world: World, span: Span): Rows {
  const pages = responderPages(world)
    .filter(({ paged_at }) => isIn(paged_at as number, span))
    .map((page) => ({ ...page, severity: String(page.incident_severity), team: String(page.team_name) }))
  return cube(pages, (rows) => {
    const of = (band: string) => rows.filter((page) => (page as Record<string, unknown>).band === band).length
    return {
      pages: rows.length,
      people: new Set(rows.map((page) => (page as Record<string, unknown>).person_id)).size,
      work_pages: of('work'),
      off_pages: of('off'),
      sleep_pages: of('sleep'),
      sleep_share: of('sleep') / rows.length,
    }
  })
}

type OfPerson = (person: number) => Rows

export function personLoad(world: World, span: Span): Rows {
  const isIn_ = (column: string) => (row: Record<string, unknown>) => isIn(row[column] as number, span)
  const pages = responderPages(world).filter(isIn_('paged_at'))
  const given = assignmentLoad(world).filter(isIn_('assigned_at'))
  const outcomes = assignmentOutcomes(world).filter(isIn_('assigned_at'))
  const efforts = responseEffort(world, span)
  const people = new Set(
    [...pages, ...given, ...outcomes, ...efforts].map(({ person_id }) => person_id as number),
  )
  const [pagesOf, givenTo, outcomesOf, effortsOf] = [pages, given, outcomes, efforts].map((rows) => {
    const groups = groupsOf<Rows[number], unknown>(rows, (row) => row.person_id)
    return (person: number) => groups.get(person) ?? []
  }) as [OfPerson, OfPerson, OfPerson, OfPerson]
  const mainTeam = new Map(
    [...people].map((person) => {
      const counts = [...groupsOf(pagesOf(person), (page) => String(page.team_name))]
      counts.sort(([a, own], [b, other]) => other.length - own.length || (a < b ? -1 : 1))
      return [person, counts[0]?.[0] ?? null]
    }),
  )
  const meanOf = (team: string | null) => {
    const loads = [...people].filter((one) => mainTeam.get(one) === team).map((one) => pagesOf(one).length)
    return team === null ? null : loads.reduce((sum, load) => sum + load, 0) / loads.length
  }
  const hourly = world.settings.thresholds.find(({ name }) => name === 'hourly_cost')?.value
  const allEffort = efforts.reduce((sum, { effort_s }) => sum + (effort_s as number), 0)
  return [...people].map((person_id) => {
    const [effort] = effortsOf(person_id)
    const band = (name: string) => pagesOf(person_id).filter((page) => page.band === name).length
    return {
      person_id,
      member_name: personName(world, person_id),
      team_name: mainTeam.get(person_id),
      team_mean: meanOf(mainTeam.get(person_id)!),
      pages: pagesOf(person_id).length,
      page_share: share(pagesOf(person_id).length, pages.length),
      work_pages: band('work'),
      off_pages: band('off'),
      sleep_pages: band('sleep'),
      incidents: givenTo(person_id).length,
      overloads: givenTo(person_id).filter(({ is_overload }) => is_overload).length,
      unanswered: outcomesOf(person_id).filter(({ is_unanswered }) => is_unanswered).length,
      effort_incidents: effort?.incidents ?? 0,
      raw_effort_s: effort?.raw_effort_s ?? 0,
      effort_s: effort?.effort_s ?? 0,
      effort_share: share((effort?.effort_s as number | undefined) ?? 0, allEffort),
      open_s: effort?.open_s ?? 0,
      cost: hourly === undefined ? null : (((effort?.effort_s as number | undefined) ?? 0) * hourly) / 3_600,
    }
  })
}
