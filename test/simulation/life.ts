import type { Incident } from '../../dist/contract/incident.js'
import { type Chance, chanceOf } from './chance.ts'
import type { Company } from './company.ts'
import { newChannel, newIncident, newMember, newPostMortem, newTeam } from './records.ts'

export const DAY = 86_400
/** The company existed for this many days before the first night. */
const PAST_DAYS = 420
const SEVERITIES = ['Critical', 'Warning', 'Info'] as const

type Event = (company: Company, chance: Chance) => void

/** Number of incidents that are open in the first night and stay open for months. */
const LEFT_OPEN = 12

/** Creates a company with more than a year of history. @param without names of events to leave out */
export function found(company: Company, seed: number, without: ReadonlySet<string>): void {
  const chance = chanceOf(seed, 0, 'founding')
  for (let k = 0; k < 24; k++) events.hire!(company, chance)
  for (let k = 0; k < 4; k++) events['team founded']!(company, chance)
  const starts = Array.from({ length: 260 }, () => chance.whole(1, PAST_DAYS * DAY)).sort((a, b) => b - a)
  for (const back of starts) close(company, chance, begin(company, chance, company.now - back))
  if (without.has('left open')) return
  const other = chanceOf(seed, 0, 'left open')
  for (let k = 0; k < LEFT_OPEN; k++) events['left open']!(company, other)
}

/** Simulates one day of the company. @param without names of events to leave out */
export function live(company: Company, seed: number, night: number, without: ReadonlySet<string>): void {
  const weather = chanceOf(seed, night, 'weather')
  const isSilent = weather.is(0.08) || isHoliday(company.now)
  for (const incident of company.incidents.records())
    if (incident.progress !== 'Closed' && !company.leftOpen.has(incident.incident_id))
      goOn(company, chanceOf(seed, night, incident.incident_id), incident)
  const each = chanceOf(seed, night, 'day')
  const count = isSilent && !without.has('silence') ? 0 : each.whole(0, 4)
  for (let k = 0; k < count; k++) begin(company, each, company.now - each.whole(0, DAY - 1))
  for (const [name, event] of Object.entries(events)) {
    const chance = chanceOf(seed, night, name)
    if (chance.is(CHANCES[name] ?? 0.12) && !without.has(name)) event(company, chance)
  }
}

/** Nobody works between Christmas and New Year. */
function isHoliday(now: number): boolean {
  const day = new Date(now * 1_000).toISOString().slice(5, 10)
  return day >= '12-23' || day <= '01-02'
}

/** Probabilities of some events on a day. All other events have a probability of 12%. */
const CHANCES: Record<string, number> = {
  storm: 0.02,
  'root cause told late': 0.5,
  'opened again': 0.25,
  'import into the past': 0.05,
  'team deleted': 0.03,
  'teams merged': 0.03,
  'channel deleted': 0.03,
  'start corrected far': 0.04,
  'left open': 0.2,
  'left open and closed': 0.2,
  'left open and edited': 0.2,
  'left open and deleted': 0.06,
  'post-mortem deleted': 0.05,
}

const old = (company: Company, chance: Chance, is: (one: Incident) => boolean = () => true) => {
  const all = company.incidents.records().filter(is)
  return all.length === 0 ? undefined : chance.of(all)
}
const leftOpen = (company: Company, chance: Chance) =>
  old(
    company,
    chance,
    ({ incident_id, progress }) => company.leftOpen.has(incident_id) && progress !== 'Closed',
  )
const isClosed = ({ progress }: Incident) => progress === 'Closed'

function onOld(change: (incident: Incident, company: Company, chance: Chance) => Partial<Incident>): Event {
  return (company, chance) => {
    const incident = old(company, chance, isClosed)
    // One edit in five leaves `updated_at` unchanged.
    if (incident) company.edit(incident, change(incident, company, chance), chance.is(0.2))
  }
}

export const events: Readonly<Record<string, Event>> = {
  hire(company) {
    const id = company.next()
    company.put('members', id, newMember(id, company.now))
  },
  leave(company, chance) {
    const people = company.members.records()
    if (people.length > 12) company.remove('members', Number(chance.of(people).member_id))
  },
  'member renamed'(company, chance) {
    const one = chance.of(company.members.records())
    const renamed = { ...one, member_name: `${one.member_name} II`, updated_at: company.now }
    company.put('members', Number(one.member_id), renamed)
  },
  'team founded'(company, chance) {
    const [team, channel] = [company.next(), company.next()]
    const people = company.members.records().map(({ member_id }) => Number(member_id))
    company.put(
      'teams',
      team,
      newTeam(
        team,
        people.filter(() => chance.is(0.3)),
      ),
    )
    company.put('channels', channel, newChannel(channel, team, company.now))
  },
  'team renamed'(company, chance) {
    const team = chance.of(company.teams.records())
    company.put('teams', Number(team.team_id), { ...team, team_name: `${team.team_name}*` })
  },
  'team deleted'(company, chance) {
    const teams = company.teams.records()
    if (teams.length > 2) company.remove('teams', Number(chance.of(teams).team_id))
  },
  'teams merged'(company, chance) {
    const [into, from] = [chance.of(company.teams.records()), chance.of(company.teams.records())]
    if (into === from || company.teams.records().length < 3) return
    for (const channel of company.channels.records().filter(({ team_id }) => team_id === from.team_id))
      company.put('channels', Number(channel.channel_id), {
        ...channel,
        team_id: into.team_id,
        updated_at: company.now,
      })
    const people = [...new Set([...into.person_ids, ...from.person_ids])]
    company.put('teams', Number(into.team_id), { ...into, person_ids: people })
    company.remove('teams', Number(from.team_id))
  },
  'channel moved'(company, chance) {
    const channel = chance.of(company.channels.records())
    const team = chance.of(company.teams.records()).team_id
    company.put('channels', Number(channel.channel_id), {
      ...channel,
      team_id: team,
      updated_at: company.now,
    })
  },
  'channel deleted'(company, chance) {
    const channels = company.channels.records()
    if (channels.length > 2) company.remove('channels', Number(chance.of(channels).channel_id))
  },
  storm(company, chance) {
    const at = company.now - chance.whole(3_600, DAY)
    for (let k = 0; k < 110; k++) begin(company, chance, at + chance.whole(0, 3_500))
  },
  'root cause told late': onOld((_, __, chance) => ({ root_cause: `Known now: ${chance.whole(1, 9_999)}` })),
  'severity corrected': onOld((_, __, chance) => ({ incident_severity: chance.of(SEVERITIES) })),
  'close corrected': onOld(({ close_time }, _, chance) => ({
    close_time: Number(close_time) - chance.whole(1, 30),
  })),
  'start corrected': onOld(({ start_time }, _, chance) => ({
    start_time: Number(start_time) - chance.whole(1, 7_200),
  })),
  'start corrected far': onOld(({ start_time }, company, chance) => ({
    start_time: Math.min(Number(start_time) + chance.whole(-60, 60) * DAY, company.now - 60),
  })),
  'opened again': onOld(() => ({ progress: 'Processing', close_time: 0 })),
  deleted(company, chance) {
    const incident = old(company, chance)
    if (incident) company.remove('incidents', incident.incident_id)
  },
  'import into the past'(company, chance) {
    for (let k = 0; k < 12; k++)
      close(company, chance, begin(company, chance, company.now - chance.whole(40, 380) * DAY))
  },
  'post-mortem begun'(company, chance) {
    const incident = old(company, chance, (one) => one.post_mortem_id === '' && isClosed(one))
    if (incident) beginPostMortem(company, incident)
  },
  'post-mortem published'(company, chance) {
    const drafts = company.post_mortems.records().filter(({ meta }) => meta.status === 'draft')
    if (drafts.length === 0) return
    const { meta, ...rest } = chance.of(drafts)
    const published = { ...meta, status: 'published', updated_at_seconds: company.now }
    company.put('post_mortems', meta.post_mortem_id, { ...rest, meta: published })
  },
  'post-mortem deleted'(company, chance) {
    const all = company.post_mortems.records()
    if (all.length > 0) company.remove('post_mortems', chance.of(all).meta.post_mortem_id)
  },
  // Some of these incidents start shortly after the beginning of a configured history of 60, 90, 120 or 365 days. They
  // are still open when they become older than the history.
  'left open'(company, chance) {
    const days = chance.is(0.5) ? chance.of([59, 89, 119, 364]) : chance.whole(45, 400)
    const { incident_id } = begin(company, chance, company.now - days * DAY + chance.whole(0, 3 * DAY))
    company.leftOpen.add(incident_id)
  },
  'left open and closed'(company, chance) {
    const incident = leftOpen(company, chance)
    if (incident === undefined) return
    const at = company.now - chance.whole(0, 3_600)
    const closed = { progress: 'Closed', close_time: at, end_time: at, incident_status: 'Ok' } as const
    const edited = company.edit(incident, closed, chance.is(0.2))
    if (chance.is(0.5) && edited.post_mortem_id === '') beginPostMortem(company, edited)
  },
  'left open and edited'(company, chance) {
    const incident = leftOpen(company, chance)
    if (incident) company.edit(incident, { impact: `So far: ${chance.whole(1, 9_999)}` }, chance.is(0.2))
  },
  'left open and deleted'(company, chance) {
    const incident = leftOpen(company, chance)
    if (incident) company.remove('incidents', incident.incident_id)
  },
}

/** @returns the id of the post-mortem */
export function beginPostMortem(company: Company, incident: Incident): string {
  const id = `pm-${company.next()}`
  company.put('post_mortems', id, newPostMortem(id, incident, company.now))
  company.edit(incident, { post_mortem_id: id })
  return id
}

export function begin(company: Company, chance: Chance, start: number): Incident {
  const id = company.next().toString(16).padStart(24, '0')
  const channel = chance.of(company.channels.records())
  const incident = newIncident(id, {
    start: Math.min(start, company.now - 1),
    channel,
    severity: chance.of(SEVERITIES),
    now: company.now,
  })
  company.put('incidents', id, incident)
  return incident
}

/**
 * Acknowledges or closes an open incident, or leaves it unchanged. Most incidents end within days, and some stay open
 * for weeks.
 */
function goOn(company: Company, chance: Chance, incident: Incident): void {
  if (incident.progress === 'Triggered' && chance.is(0.6)) acknowledge(company, chance, incident)
  else if (chance.is(0.45)) close(company, chance, incident)
}

function acknowledge(company: Company, chance: Chance, incident: Incident): Incident {
  const at = Math.min(Number(incident.start_time) + chance.whole(20, 4_000), company.now)
  const person = Number(chance.of(company.members.records()).member_id)
  return company.edit(incident, {
    progress: 'Processing',
    ack_time: at,
    responders: [{ person_id: person, assigned_at: Number(incident.start_time), acknowledged_at: at }],
  })
}

/** Closes an incident. Four of five incidents are acknowledged first. */
export function close(company: Company, chance: Chance, incident: Incident): Incident {
  const seen = chance.is(0.8) ? acknowledge(company, chance, incident) : incident
  const at = Math.min(Number(seen.start_time) + chance.whole(600, 90_000), company.now)
  return company.edit(seen, { progress: 'Closed', close_time: at, end_time: at, incident_status: 'Ok' })
}
