import type { Channel } from '../../contract/channel.ts'
import type { Int64 } from '../../contract/int64.ts'
import type { Member, Team } from '../../contract/organization.ts'
import { hash, unit } from '../random.ts'
import { FIRST_NAMES, LAST_NAMES, TEAMS } from './names.ts'
import type { Story } from './scenario.ts'

const DAY = 86_400
/** A double cannot represent every integer above this. Larger ids test whether clients keep all digits. */
const BEYOND_DOUBLE = 2n ** 53n

export interface CompanyChannel {
  readonly channel: Channel
  readonly services: readonly string[]
  /** Numbers (from 1) of the members of the owning team, with the lead first. */
  readonly people: readonly number[]
  /** From this time (Unix seconds), the channel accepts no incidents until it is enabled again. */
  readonly offFrom: number
}

export type Company = ReturnType<typeof buildCompany>

/** Status of the channels at these positions. All others are enabled. */
const UNUSED = new Map([5, 9, 12].map((spot) => [spot, spot === 9 ? 'deleted' : 'disabled'] as const))
const OFF_FOR_DAYS = { enabled: Number.NEGATIVE_INFINITY, disabled: 20, deleted: 60 }

export const ACCOUNT_ID = 2_451_002_751_131

/** Builds a company. Its number of teams grows with the number of incidents: 12 teams at 6,000, 30 at 1,000,000. */
export function buildCompany(
  seed: number,
  incidents: number,
  anchor: number,
  accountId: number,
  story?: Story,
) {
  const teamCount = Math.max(
    8,
    Math.min(TEAMS.length, Math.round(2.45 * Math.log2(Math.max(incidents, 1) / 200))),
  )
  const born = anchor - 900 * DAY
  const members: Member[] = []
  const channels: CompanyChannel[] = []
  const teams: Team[] = []
  for (let t = 0; t < teamCount; t++) {
    const size = 5 + (hash(seed, t, 200) % 5)
    const people: number[] = []
    for (let k = 0; k < size; k++) {
      members.push(buildMember(accountId, seed, members.length, born, k === 0))
      people.push(members.length)
    }
    const team: Team = {
      team_id: idOf(4_295_771_902_131, t, 11),
      team_name: TEAMS[t]![0],
      person_ids: people.map((number) => members[number - 1]!.member_id),
    }
    teams.push(team)
    channels.push(...channelsOf({ seed, anchor, story, number: t, people, from: channels.length }, team))
  }
  if (story?.robot !== undefined)
    members.push({ ...buildMember(accountId, seed, members.length, born, false), member_name: story.robot })
  /** Returns the member number of the person who works on an incident in the channel at position `spot`. */
  const personOf = (index: number, spot: number, start: number) => {
    const [first, second, lead] = onCall(channels[spot]!.people, spot, start)
    const draw = unit(seed, index, 210)
    return draw < 0.78 ? first : draw < 0.93 ? second : lead
  }
  /** Like `personOf`, unless a robot acknowledges the incident. */
  const ackerOf = (index: number, spot: number, start: number) =>
    story?.plan(index, start).isRobots ? members.length : personOf(index, spot, start)
  return { seed, accountId, members, teams, channels, story, personOf, ackerOf }
}

/** Returns member numbers: who is on call this week, who is on call next week, and the lead. */
export function onCall(people: readonly number[], spot: number, time: number): [number, number, number] {
  const turn = Math.floor(time / (7 * DAY)) + spot
  return [people[turn % people.length]!, people[(turn + 1) % people.length]!, people[0]!]
}

interface ChannelFacts {
  readonly seed: number
  readonly anchor: number
  readonly story: Story | undefined
  readonly number: number
  readonly people: readonly number[]
  /** Position of the team's first channel among all channels. */
  readonly from: number
}

/** Yields the channels of a team: two if the team has more than two services, otherwise one. */
function* channelsOf(facts: ChannelFacts, team: Team): Generator<CompanyChannel> {
  const { seed, anchor, story, number, people, from } = facts
  const [name, ...services] = TEAMS[number]!
  const parts = [services.slice(0, 2), services.slice(2)]
  const isUsual = story === undefined
  for (const [k, part] of parts.entries()) {
    if (part.length === 0) continue
    const index = from + k
    const named = story?.channels?.[index]
    // A few channels are disabled or deleted, and one belongs to a deleted team, but not in scenarios.
    const status = (isUsual && UNUSED.get(index)) || 'enabled'
    yield {
      channel: {
        channel_id: idOf(3_521_074_710_131, index, 13),
        channel_name: named ?? (k === 0 ? `${name} (production)` : `${name} (background)`),
        status,
        team_id: index === 7 && isUsual ? 4_295_771_000_001 : team.team_id,
        managing_team_ids: [],
        description: `Alerts of ${part.join(' and ')}.`,
        auto_resolve_timeout: hash(seed, index, 220) % 2 === 0 ? 86_400 : 259_200,
        auto_resolve_mode: 'trigger',
        group: { method: hash(seed, index, 221) % 3 ? 'p' : 'i', time_window: 10, window_type: 'tumbling' },
        flapping: { is_disabled: false, max_changes: 4, in_mins: 60, mute_mins: 120 },
        is_private: false,
        disable_outlier_detection: false,
        disable_auto_close: status === 'enabled' && named === undefined && hash(seed, index, 222) % 5 < 2,
        is_external_report_enabled: false,
        creator_id: team.person_ids![0]!,
        created_at: anchor - 800 * DAY + index * DAY,
        updated_at: anchor - 200 * DAY + index * DAY,
      },
      services: part,
      people,
      offFrom: anchor - OFF_FOR_DAYS[status] * DAY,
    }
  }
}

function buildMember(accountId: number, seed: number, index: number, born: number, isLead: boolean): Member {
  const first = FIRST_NAMES[hash(seed, index, 230) % FIRST_NAMES.length]!
  const last = LAST_NAMES[(hash(seed, index, 231) + index) % LAST_NAMES.length]!
  const tail = String(1_000 + (hash(seed, index, 232) % 9_000))
  const plain = `${first}.${last}`.normalize('NFD').replace(/[^A-Za-z.]/g, '')
  const joined = born + (hash(seed, index, 233) % (700 * DAY))
  return {
    account_id: accountId,
    member_id: idOf(3_790_925_372_131, index, 17),
    member_name: `${first} ${last}`,
    country_code: '49',
    phone: `+49151****${tail}`,
    email: `${plain.toLowerCase()}${index}@example.invalid`,
    avatar: '',
    ref_id: '',
    phone_verified: index % 7 !== 3,
    email_verified: true,
    is_external: index % 29 === 28,
    status: index % 31 === 30 ? 'pending' : 'enabled',
    account_role_ids: isLead ? [6, 8] : index % 5 === 4 ? [8] : [6],
    created_at: joined,
    updated_at: joined + (hash(seed, index, 234) % (190 * DAY)),
  }
}

/** Returns an id. Object number `beyond` (from 1) gets an id above 2^53, to test whether clients keep all digits. */
export function idOf(first: number, index: number, beyond: number): Int64 {
  if (index === beyond - 1) return BEYOND_DOUBLE + BigInt(first % 1_000_000) * 1_000n + BigInt(index * 2 + 1)
  return first + index * 1_000
}
