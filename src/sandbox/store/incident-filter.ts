import { splitList } from '../../contract/fields.ts'
import type { RequestOf } from '../../contract/index.ts'
import type { Int64 } from '../../contract/int64.ts'
import type { IncidentRow } from './incident-set.ts'

/** The filters of incident/list that look at one incident; the window, ids and cursor are not among them. */
export type IncidentFilters = Omit<
  RequestOf<'incident/list'>,
  'start_time' | 'end_time' | 'asc' | 'p' | 'limit' | 'search_after_ctx' | 'incident_ids'
>

/** What the filters need to know of the account and the caller. */
export interface FilterContext {
  now: number
  /** Channels owned by any of the teams. */
  channelsOfTeams(teamIds: readonly Int64[]): Set<Int64>
  /** Channels that the caller's teams own or manage. */
  myTeamChannels(): Set<Int64>
  /** Channels that the caller manages in person. */
  myChannels(): Set<Int64>
}

/** Tells whether one incident passes. `text` is called only when a keyword has to be looked for. */
export type RowTest = (row: IncidentRow, text: () => string) => boolean

/**
 * Turns the filters into tests, cheapest first. An empty list restricts nothing, as an absent one does; booleans
 * restrict only when true, as the document says.
 */
export function compileFilters(filters: IncidentFilters, context: FilterContext): RowTest[] {
  const tests: RowTest[] = []
  const channels = [
    ...(isGiven(filters.channel_ids) ? [new Set(filters.channel_ids)] : []),
    ...(isGiven(filters.team_ids) ? [context.channelsOfTeams(filters.team_ids)] : []),
    ...(filters.is_my_team === true ? [context.myTeamChannels()] : []),
    ...(filters.is_my_channel === true ? [context.myChannels()] : []),
  ]
  for (const allowed of channels) tests.push((row) => allowed.has(row.channelId))
  const progress = words(filters.progress)
  if (progress !== undefined) tests.push((row) => progress.has(row.progress))
  const severities = words(filters.incident_severity)
  if (severities !== undefined) tests.push((row) => severities.has(row.severity))
  if (filters.ever_muted === true) tests.push((row) => row.everMuted)
  if (filters.is_rare === true) tests.push((row) => row.isRare)
  if (filters.is_snoozed === true) tests.push((row) => row.snoozedBefore > context.now)
  if (isGiven(filters.creator_ids)) tests.push(memberTest(filters.creator_ids, (row) => row.creatorId))
  if (isGiven(filters.closer_ids)) tests.push(closerTest(filters.closer_ids))
  if (isGiven(filters.responder_ids)) {
    const ids = new Set(filters.responder_ids)
    tests.push((row) => row.responders.some((one) => ids.has(one.personId)))
  }
  if (isGiven(filters.acker_ids)) {
    const ids = new Set(filters.acker_ids)
    tests.push((row) => row.responders.some((one) => one.acknowledgedAt !== 0 && ids.has(one.personId)))
  }
  if (isGiven(filters.nums)) {
    const nums = new Set(filters.nums.map((num) => num.toUpperCase()))
    tests.push((row) => nums.has(row.num.toUpperCase()))
  }
  const keyword = filters.query?.trim().toLowerCase() ?? ''
  if (keyword !== '') tests.push(keywordTest(keyword))
  return tests
}

/** A keyword of six hexadecimal digits is the look-up of a `num`. */
export function isNum(keyword: string): boolean {
  return /^[0-9a-f]{6}$/i.test(keyword)
}

function keywordTest(keyword: string): RowTest {
  if (isNum(keyword)) return (row) => row.num.toLowerCase() === keyword
  return (_, text) => text().toLowerCase().includes(keyword)
}

function memberTest(ids: readonly Int64[], of: (row: IncidentRow) => Int64): RowTest {
  const allowed = new Set(ids)
  return (row) => allowed.has(of(row))
}

/** 0 asks for incidents closed automatically: open ones carry 0 too, but nobody closed them. */
function closerTest(ids: readonly Int64[]): RowTest {
  const allowed = new Set(ids)
  return (row) => row.progress === 'Closed' && allowed.has(row.closerId)
}

function words(list: string | null | undefined): Set<string> | undefined {
  const found = splitList(list ?? '')
  return found.length === 0 ? undefined : new Set(found)
}

function isGiven<T>(list: readonly T[] | null | undefined): list is readonly T[] {
  return list !== null && list !== undefined && list.length > 0
}
