import type { Responder, World } from '../support/world.ts'
import { groupsOf, isIn, type Rows, type Span, started } from './reference-groups.ts'
import { type Reference, referenceTimes } from './reference-times.ts'
import { wallClock } from './wall-clock.ts'

const pagedWorlds = new WeakMap<World, Rows>()

/** The displayed name of a person, with the id if the name is missing or shared. */
export function personName({ members }: World, person: unknown): string {
  const name = members.find(({ member_id }) => member_id === person)?.member_name
  if (!name) return `person ${person}`
  return members.filter(({ member_name }) => member_name === name).length > 1
    ? `${name} (person ${person})`
    : name
}

export const personNames = (world: World): Rows =>
  world.members.map(({ member_id }) => ({ person_id: member_id, person_name: personName(world, member_id) }))

export function responderPages(world: World): Rows {
  const pages = pagedWorlds.get(world) ?? pagesOf(world)
  pagedWorlds.set(world, pages)
  return pages
}

/** Returns the pages that began in a period, without fields that depend on all assignments of a page. */
export function pageStarts(world: World, span: Span = {}): Rows {
  return responderPages(world)
    .filter(({ paged_at }) => isIn(paged_at as number, span))
    .map(({ acknowledged_at: _at, assignments: _assignments, incidents: _incidents, ...start }) => start)
}

function pagesOf(world: World): Rows {
  const known = new Map(referenceTimes(world).map((computing) => [computing.row.incident_id, computing]))
  const counted = world.responders.filter(
    ({ incident_id, person_id, assigned_at }) =>
      person_id !== 0 && assigned_at !== 0 && known.get(incident_id)?.muted === false,
  )
  counted.sort(
    (a, b) =>
      a.assigned_at - b.assigned_at || a.incident_id.localeCompare(b.incident_id) || a.ordinal - b.ordinal,
  )
  const pages: Responder[][] = []
  for (const assignment of counted) {
    const open = pages.findLast(([first]) => first?.person_id === assignment.person_id)
    if (open && assignment.assigned_at - open.at(-1)!.assigned_at <= 60) open.push(assignment)
    else pages.push([assignment])
  }
  return pages.map((page) => {
    const [first] = page as [Responder]
    const { row, team, channel } = known.get(first.incident_id)!
    const acknowledged = page.map((one) => one.acknowledged_at).filter((at) => at !== 0)
    const own = world.settings.personZones.find(
      ({ person_id }) => person_id === String(first.person_id),
    )?.timezone
    const zone =
      [own, row.account_time_zone].find((name) => name !== undefined && knownZones.includes(name)) ?? 'UTC'
    return {
      person_id: first.person_id,
      member_name: personName(world, first.person_id),
      paged_at: first.assigned_at,
      acknowledged_at: acknowledged.length === 0 ? null : Math.min(...acknowledged),
      assignments: page.length,
      incidents: new Set(page.map((one) => one.incident_id)).size,
      incident_id: first.incident_id,
      incident_severity: row.incident_severity,
      channel_name: channel,
      team_name: team,
      time_zone: zone,
      band: band(first.assigned_at, zone, world),
    }
  })
}

const knownZones = ['Europe/Berlin', 'Asia/Kolkata', 'Asia/Shanghai', 'America/New_York']

/** Returns the first band of hours, by rank, that includes the time. On a holiday, the band `work` does not apply. */
function band(at: number, zone: string, { settings }: World): string | null {
  const { weekday, hour, date } = wallClock(at, zone)
  const isHoliday = settings.holidays.some(({ day }) => day === date)
  const held = settings.bands
    .filter(
      ({ weekdays, from_hour, to_hour }) => weekdays.includes(weekday) && hour >= from_hour && hour < to_hour,
    )
    .filter((one) => !(isHoliday && one.band === 'work'))
    .toSorted((one, other) => one.rank - other.rank)
  return held[0]?.band ?? null
}

export function noisiestSources(world: World, span: Span = {}): Rows {
  const all = started(referenceTimes(world), span)
  const pagesOfIncident = groupsOf(responderPages(world), (page) => page.incident_id)
  const kinds: [string, (r: Reference) => string, (r: Reference) => string][] = [
    ['channel', (r) => String(r.row.channel_id), (r) => r.channel],
    ['integration', (r) => String(r.row.integration_id), (r) => r.row.integration_type || '(none)'],
    ['dedup_key', (r) => r.row.dedup_key, (r) => r.row.dedup_key || '(none)'],
  ]
  return kinds.flatMap(([kind, idOf, nameOf]) => {
    const groups = [...groupsOf(all, idOf)]
    const loudest = groups.sort(([a, x], [b, y]) => y.length - x.length || (a < b ? -1 : 1))
    let running = 0
    return loudest.map(([id, rows]) => {
      running += rows.length
      const ownPages = rows.flatMap(({ row }) => pagesOfIncident.get(row.incident_id) ?? [])
      return {
        source_kind: kind,
        source_id: id,
        source_name: nameOf(rows[0]!),
        incidents: rows.length,
        alert_events: rows.reduce((sum, { row }) => sum + row.alert_event_cnt, 0),
        self_healed_share: rows.filter(({ times }) => times.is_self_healed).length / rows.length,
        pages: ownPages.length,
        sleep_pages: ownPages.filter((page) => page.band === 'sleep').length,
        incident_share: rows.length / all.length,
        cumulative_share: running / all.length,
      }
    })
  })
}
