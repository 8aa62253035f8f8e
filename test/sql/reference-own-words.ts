import type { reporting as Reporting } from '../support/all-keys-world.ts'
import type { Incident, World } from '../support/world.ts'
import { cube, named, type Rows, type Span, started, threshold } from './reference-groups.ts'
import { interval } from './reference-intervals.ts'
import { quantile, wilson } from './reference-statistics.ts'
import { isMerged, referenceAsOf, referenceTimes } from './reference-times.ts'
import { type Calendar, dueAfter, workedSeconds } from './reference-working-hours.ts'

/**
 * Applies the configuration of test/support/all-keys-world.ts to the content of a warehouse, without SQL. The other
 * independent computations use the result.
 */

type Config = typeof Reporting
const OFFICE: Calendar = { days: [1, 2, 3, 4, 5], from: 9, to: 17.5 }
const LATE: Calendar = { days: [5, 6, 7], from: 20, to: 4 }
const calendars: Record<string, { calendar: Calendar; zone?: string }> = {
  office: { calendar: OFFICE },
  late: { calendar: LATE, zone: 'Asia/Tokyo' },
}

/** The calendar and clock of named working hours for a team. */
function clockOf({ teamZones, holidays }: Config, timezone: string, hours: string, team: string) {
  const { calendar, zone } = calendars[hours]!
  const ofTeam = (teamZones as Record<string, string>)[team]
  return { calendar, clock: { zone: zone ?? ofTeam ?? timezone, holidays: Object.keys(holidays) } }
}

const seconds = (text: string) => (text === '' ? 0 : Date.parse(text) / 1000)

const correctionsOf = ({ settings }: World, id: string) =>
  settings.corrections.filter(({ incident_id }) => incident_id === id)

/** Applies corrections to an incident. A corrected close time closes the incident, an empty close time reopens it. */
function corrected<Row extends { incident_id: string; progress: string }>(row: Row, world: World): Row {
  const own = correctionsOf(world, row.incident_id)
  const inHand = row.progress === 'Closed' ? 'Processing' : row.progress
  return Object.assign(
    { ...row },
    ...own.map(({ field, value }) => ({ [field]: field.endsWith('_time') ? seconds(value) : value })),
    ...own.flatMap(({ field, value }) =>
      field === 'close_time' ? [{ progress: value === '' ? inHand : 'Closed' }] : [],
    ),
  )
}

export function leftOutAs({
  title,
  channel,
  labels,
  start_time,
  incident_severity,
}: Named): string | undefined {
  if (['Soaking', 'Silent Test'].includes(channel)) return 'test channels'
  if (!['prod', 'live'].includes(labels.env ?? 'prod') || title.toLowerCase().startsWith('[test]'))
    return 'staging'
  const isOld = start_time < Date.UTC(2026, 3, 10) / 1000 && incident_severity === 'Ok'
  return isOld ? 'old imports' : undefined
}
type Named = Incident & { readonly channel: string }

const orNone = (value: unknown) => (typeof value === 'string' && value.trim()) || '(none)'

const dimensionsOf = ({ labels, fields }: Incident) => ({
  service: orNone(labels.service?.toLowerCase()),
  region: orNone(fields?.region ?? labels.region?.toUpperCase()),
})

/** Groups corrected incidents by the exclusion that removes them. The key undefined has the included incidents. */
export function sorted(world: World): Map<string | undefined, Incident[]> {
  const names = new Map(world.channels.map(({ channel_id, channel_name }) => [channel_id, channel_name]))
  const groups = new Map<string | undefined, Incident[]>()
  for (const row of world.incidents) {
    const read = corrected(row, world)
    const channel = read.channel_id === 0 ? '(no channel)' : names.get(read.channel_id) || read.channel_name
    const one = { ...read, dimensions: dimensionsOf(read) }
    const name = leftOutAs({ ...one, channel })
    groups.set(name, [...(groups.get(name) ?? []), one])
  }
  return groups
}

const isMachine = ({ members }: World, person: number) =>
  person === 902 || members.some((one) => one.member_id === person && one.member_name === 'Remediation Bot')

/** Returns the content after exclusions and corrections, which still includes the work of automation. */
export function asConfigured(world: World, config: Config, timezone: string): World {
  const incidents = sorted(world).get(undefined)!
  const ids = new Set(incidents.map(({ incident_id }) => incident_id))
  const isIn = ({ incident_id }: { incident_id: string }) => ids.has(incident_id)
  const severities = new Map(
    world.settings.corrections.flatMap(({ incident_id, field, value }) =>
      field === 'incident_severity' ? [[incident_id, value] as const] : [],
    ),
  )
  return {
    ...world,
    incidents: incidents.map((one) => ({ ...one, byPeople: byPeople(world, one) })),
    responders: world.responders.filter((one) => isIn(one) && !isMachine(world, one.person_id)),
    // A corrected severity applies from the start of the incident.
    versions: world.versions.filter(isIn).map((one) => ({
      ...one,
      incident_severity: severities.get(one.incident_id) ?? one.incident_severity,
    })),
    dueAfter: (from, target, hours, team) => {
      const { calendar, clock } = clockOf(config, timezone, hours, team)
      return dueAfter(from, target, calendar, clock)
    },
  }
}

function byPeople(world: World, row: Incident) {
  const { acknowledged, resolved } = deeds(world, row)
  return { ack_time: acknowledged ? 0 : row.ack_time, closer_id: resolved ? 0 : row.closer_id }
}

/** Parses the value of a custom field as a time, from text, seconds or milliseconds. */
function momentOf(value: string | number | undefined): number | undefined {
  if (value === undefined || value === '') return undefined
  const number = Number(value)
  if (Number.isNaN(number)) return Date.parse(String(value)) / 1000
  return number > 1e11 ? number / 1000 : number
}

/** Returns every measure of every incident. @param counted result of `asConfigured` */
export function ownMeasures(counted: World, config: Config, timezone: string): Rows {
  const asOf = referenceAsOf(counted)!.as_of_at!
  const answers = new Map<string, number>()
  for (const { incident_id, person_id, acknowledged_at } of counted.responders)
    if (person_id !== 0 && acknowledged_at !== 0)
      answers.set(incident_id, Math.min(acknowledged_at, answers.get(incident_id) ?? acknowledged_at))
  const written = new Map(counted.postMortems.map((one) => [one.post_mortem_id, one.created_at]))
  return referenceTimes(counted).flatMap(({ row, start, closedAt, open, team, muted }) => {
    if (muted) return []
    const inOffice = (from: number, to: number) => {
      const { calendar, clock } = clockOf(config, timezone, 'office', team)
      return workedSeconds(from, to, calendar, clock)
    }
    const all = (from: number, to: number) => to - from
    const measure = (name: string, from?: number, to?: number, count = all) => {
      if (from === undefined || (to === undefined && !open)) return []
      return [
        {
          incident_id: row.incident_id,
          start_time: row.start_time,
          measure: name,
          seconds: to === undefined || to < from ? null : count(from, to),
          open_s: to === undefined ? Math.max(0, count(from, asOf)) : null,
          is_wrong: to !== undefined && to < from,
        },
      ]
    }
    const [mitigated, detected] = [momentOf(row.fields?.mitigated_at), momentOf(row.fields?.detected_at)]
    return [
      ...measure('mitigate', start, mitigated),
      ...measure('fix', row.ack_time || undefined, closedAt, inOffice),
      ...measure('react', detected, answers.get(row.incident_id)),
      ...measure('learn', closedAt, written.get(row.post_mortem_id)),
    ]
  })
}

function deeds(world: World, row: Incident) {
  const open = row.progress !== 'Closed'
  const own = world.responders.filter(
    ({ incident_id, person_id }) => incident_id === row.incident_id && person_id !== 0,
  )
  const first = (isBot: boolean) => {
    const acks = own.flatMap(({ person_id, acknowledged_at }) =>
      acknowledged_at !== 0 && isMachine(world, person_id) === isBot ? [acknowledged_at] : [],
    )
    return acks.length > 0 ? Math.min(...acks) : undefined
  }
  const [bot, person, ack] = [first(true), first(false), row.ack_time || undefined]
  // A corrected acknowledgement counts as an acknowledgement by a person.
  const isSaid = correctionsOf(world, row.incident_id).some(({ field }) => field === 'ack_time')
  const acknowledged =
    bot !== undefined && !isSaid && [person, ack].every((other) => other === undefined || bot <= other)
  const taken = own.some(({ person_id }) => isMachine(world, person_id))
  const isByBot = isMachine(world, row.closer_id)
  const isHealed = row.closer_id === 0 && row.end_time !== 0 && row.integration_type === 'Healer'
  const answered = acknowledged ? person : ack
  const isAfter = answered !== undefined && (bot === undefined || answered >= bot)
  const isByPerson = !open && row.closer_id !== 0 && !isByBot
  return {
    acknowledged,
    taken,
    resolved: !open && (isByBot || isHealed),
    handed: taken && (isByPerson || isAfter),
    answered,
  }
}

/** @param world content with all responders @param counted result of `asConfigured` */
export function automation(world: World, counted: World, span: Span): Rows {
  const all = started(referenceTimes(counted), span).filter(({ muted }) => !muted)
  const judged = all.map((one) => ({ ...named(one), did: deeds(world, one.row) }))
  return cube(judged, (rows) => {
    const count = (name: 'acknowledged' | 'taken' | 'resolved' | 'handed') =>
      rows.filter(({ did }) => did[name]).length
    const closed = rows.filter(({ open }) => !open).length
    const times = rows
      .flatMap(({ did, start }) => (did.answered === undefined ? [] : [did.answered - start!]))
      .filter((each) => each >= 0)
      .sort((a, b) => a - b)
    const part = (name: string, hits: number, of: number) => {
      const [low, high] = of === 0 ? [null, null] : wilson(hits, of)
      return { [`${name}_share`]: of === 0 ? null : hits / of, [`${name}_low`]: low, [`${name}_high`]: high }
    }
    const [people_low_s, people_high_s] = interval(times, 0.5, threshold(counted, 'interval_min_n'))
    return {
      incidents: rows.length,
      acknowledged: count('acknowledged'),
      ...part('acknowledged', count('acknowledged'), rows.length),
      closed,
      resolved: count('resolved'),
      ...part('resolved', count('resolved'), closed),
      taken: count('taken'),
      handed: count('handed'),
      ...part('handed', count('handed'), count('taken')),
      people_n: times.length,
      people_median_s: quantile(times, 0.5),
      people_low_s,
      people_high_s,
    }
  })
}

/** Counts the incidents of a period by exclusion, in the order of the configuration. */
export function leftOut(
  world: World,
  config: Config,
  span: { from: number; to: number },
  isChosen: (row: Incident) => boolean = () => true,
) {
  const groups = sorted(world)
  return config.exclude.map(({ name }) => ({
    exclusion: name,
    count: (groups.get(name) ?? []).filter(
      (row) =>
        isChosen(row) &&
        !row.deleted_at &&
        !row.vanished_at &&
        !isMerged(row) &&
        row.start_time >= span.from &&
        row.start_time < span.to,
    ).length,
  }))
}
