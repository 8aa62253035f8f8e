import type { Channel } from '../../contract/channel.ts'
import { splitList } from '../../contract/fields.ts'
import type { Incident } from '../../contract/incident.ts'
import type { RequestOf } from '../../contract/index.ts'
import type { Int64 } from '../../contract/int64.ts'
import type { Call } from '../routes/handler.ts'

type IncidentFilters = Omit<
  RequestOf<'incident/list'>,
  'start_time' | 'end_time' | 'asc' | 'p' | 'limit' | 'search_after_ctx' | 'incident_ids'
>

export type IncidentTest = (incident: Incident) => boolean

type Responder = NonNullable<Incident['responders']>[number]

/** Returns tests that an incident must pass. An empty list and `false` do not restrict the result. */
export function compileFilters(
  filters: IncidentFilters,
  { world, clock, caller }: Pick<Call, 'world' | 'clock' | 'caller'>,
): IncidentTest[] {
  const { channels, teams } = world.account
  const tests: IncidentTest[] = []
  const oneOf = (ids: Iterable<Int64>, of: (incident: Incident) => Int64 | null | undefined) => {
    const allowed = new Set(ids)
    tests.push((incident) => allowed.has(of(incident) ?? 0))
  }
  const inChannels = (isMeant: (channel: Channel) => boolean) => {
    const meant = [...channels.values()].filter(isMeant).map((channel) => channel.channel_id)
    oneOf(meant, (incident) => incident.channel_id)
  }
  if (isGiven(filters.channel_ids)) oneOf(filters.channel_ids, (incident) => incident.channel_id)
  if (isGiven(filters.team_ids)) {
    const wanted = new Set(filters.team_ids)
    inChannels((channel) => wanted.has(channel.team_id))
  }
  if (filters.is_my_team === true) {
    const own = [...teams.values()].filter((team) => (team.person_ids ?? []).includes(caller.member_id))
    const mine = new Set(own.map((team) => team.team_id))
    inChannels(({ team_id, managing_team_ids }) =>
      [team_id, ...(managing_team_ids ?? [])].some((id) => mine.has(id)),
    )
  }
  // The API document does not say who manages a channel personally. Here, that is the member who created the channel.
  if (filters.is_my_channel === true) inChannels((channel) => channel.creator_id === caller.member_id)
  const progress = splitList(filters.progress ?? '')
  if (isGiven(progress)) tests.push((incident) => progress.includes(incident.progress))
  const severities = splitList(filters.incident_severity ?? '')
  if (isGiven(severities)) tests.push((incident) => severities.includes(incident.incident_severity))
  if (filters.ever_muted === true) tests.push((incident) => incident.ever_muted === true)
  if (filters.is_rare === true) tests.push((incident) => incident.frequency === 'rare')
  const now = clock.now()
  if (filters.is_snoozed === true) tests.push((incident) => (incident.snoozed_before ?? 0) > now)
  if (isGiven(filters.creator_ids)) oneOf(filters.creator_ids, (incident) => incident.creator_id)
  if (isGiven(filters.closer_ids)) {
    // 0 means closed automatically, but open incidents have 0 as well.
    tests.push((incident) => incident.progress === 'Closed')
    oneOf(filters.closer_ids, (incident) => incident.closer_id)
  }
  const anyOf = (ids: readonly Int64[], isMeant: (one: Responder) => boolean) => {
    const allowed = new Set(ids)
    tests.push(({ responders }) =>
      (responders ?? []).some((one) => allowed.has(one.person_id) && isMeant(one)),
    )
  }
  if (isGiven(filters.responder_ids)) anyOf(filters.responder_ids, () => true)
  if (isGiven(filters.acker_ids)) anyOf(filters.acker_ids, (one) => Number(one.acknowledged_at) !== 0)
  if (isGiven(filters.nums)) {
    const nums = new Set(filters.nums.map((num) => num.toUpperCase()))
    tests.push(({ num }) => nums.has((num ?? '').toUpperCase()))
  }
  const keyword = filters.query?.trim().toLowerCase() ?? ''
  if (NUM.test(keyword)) tests.push(({ num }) => num?.toLowerCase() === keyword)
  else if (keyword !== '') tests.push((incident) => searchText(incident).toLowerCase().includes(keyword))
  return tests
}

export function isOnlyOpen(progress: string | null | undefined): boolean {
  const words = splitList(progress ?? '')
  return isGiven(words) && !words.includes('Closed')
}

/** Form of an incident's `num`. A keyword of this form is compared only with `num`. */
const NUM = /^[0-9a-f]{6}$/i

function searchText({ title, description, labels }: Incident): string {
  return [title, description ?? '', ...Object.values(labels ?? {}).map(String)].join('\n')
}

export function isGiven<T>(list: readonly T[] | null | undefined): list is readonly T[] {
  return list !== null && list !== undefined && list.length > 0
}
