import { seeded } from '../support/random.ts'
import { storyContent } from '../support/story-world.ts'
import type { Content } from '../support/world.ts'

const DAY = 86_400
/** The data was read on Monday, 2 November 2026, at noon. */
export const readAt = Date.UTC(2026, 10, 2, 12) / 1_000

interface Made {
  /** Days before the data was read. */
  ago: number
  team?: string
  severity?: string
  /** Seconds from the start to the acknowledgement. Null if there was none. */
  ack?: number | null
  close?: number | null
  person?: number | null
  title?: string
}

interface Setting {
  /** Number of days that were read. */
  days?: number
  now?: number
  zone?: string
  /** Members of every team. */
  crew?: readonly string[]
}

/** So many that no alert has most incidents. */
const things = ['Disk', 'Queue', 'Cache', 'Volume', 'Index', 'Mailbox', 'Pool']

/** A company with these incidents. */
export function company(
  made: readonly Made[],
  { days = 400, now = readAt, zone = 'UTC', crew = ['Ana'] }: Setting = {},
): Content {
  const teams = [...new Set(made.map(({ team = 'Payments' }) => team))]
  const rows = made.map((one, place) => {
    const start_time = Math.round(now - one.ago * DAY)
    const { ack = 300, close = 3_600, severity = ['Critical', 'Warning', 'Info'][place % 3]! } = one
    const isOver = close !== null && start_time + close <= now
    const isAcked = ack !== null && start_time + ack <= now
    return {
      incident_id: String(place).padStart(24, '0'),
      ...{ num: `N${place}`, title: one.title ?? `${things[place % things.length]!} ${place} is full` },
      ...{ incident_severity: severity, start_time },
      ...{ ack_time: isAcked ? start_time + ack : 0, close_time: isOver ? start_time + close : 0 },
      ...{ progress: isOver ? 'Closed' : 'Triggered', closer_id: isOver ? 7 : 0, creator_id: 0 },
      ...{ alert_cnt: 1, alert_event_cnt: 1, channel_id: 1 + teams.indexOf(one.team ?? 'Payments') },
      ...{ account_time_zone: zone, created_at: start_time, updated_at: start_time },
    }
  })
  return {
    incidents: rows,
    responders: made.flatMap(({ person = 5 }, place) =>
      person === null
        ? []
        : [
            {
              incident_id: rows[place]!.incident_id,
              ordinal: 0,
              person_id: person,
              assigned_at: rows[place]!.start_time + 20,
            },
          ],
    ),
    members: crew.map((member_name, place) => ({ member_id: place + 5, member_name })),
    channels: teams.map((team, index) => ({
      channel_id: index + 1,
      channel_name: `${team} alerts`,
      team_id: index + 1,
    })),
    teams: teams.map((team_name, index) => ({ team_id: index + 1, team_name })),
    crews: teams.flatMap((_, index) =>
      crew.map((_name, ordinal) => ({ team_id: index + 1, ordinal, person_id: ordinal + 5 })),
    ),
    runs: [{ run_id: 1, status: 'ok', finished_at: now, as_of_at: now }],
    windows: [
      {
        run_id: 1,
        resource: 'incidents',
        state: 'done',
        window_start: now - days * DAY,
        window_end: now,
      },
    ],
  }
}

/** `count` incidents, evenly spread over `days`. */
const spread = (count: number, days: number, more: (place: number) => Partial<Made> = () => ({}), from = 0) =>
  Array.from(
    { length: count },
    (_, place): Made => ({ ago: from + 0.1 + (days * place) / count, ...more(place) }),
  )

/** Weeks that differ only by chance in number, times and people. */
function usual(
  perWeek: number,
  weeks: number,
  seed: number,
  more: (ago: number) => Partial<Made> = () => ({}),
) {
  const next = seeded(seed)
  const normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())
  return Array.from({ length: perWeek * weeks }, (): Made => {
    const ago = 0.5 + next() * 7 * weeks
    return {
      ago,
      severity: next() < 0.1 ? 'Critical' : next() < 0.4 ? 'Warning' : 'Info',
      team: next() < 0.5 ? 'Payments' : 'Search',
      person: 5 + Math.floor(3 * next()),
      ack: Math.round(100 * Math.exp(normal())),
      close: Math.round(4_000 * Math.exp(normal())),
      ...more(ago),
    }
  })
}

const crew = ['Ana', 'Ben', 'Cleo', 'Dan']
const hostile = [
  '<script>alert(1)</script>',
  '=cmd|calc',
  '\u202egnp.exe \u001b[31m',
  '[a](javascript:alert(1)) – no clear change',
]

/** The company with other names of its teams. */
const named = (content: Content, rename: (name: string) => string): Content => ({
  ...content,
  teams: content.teams!.map((team) => ({
    ...team,
    team_name: rename(String((team as { team_name?: string }).team_name)),
  })),
})

/** Companies with little or unusual data, about which pages must not invent findings. */
export const oddWorlds: Record<string, Content> = {
  'one incident': company([{ ago: 20, severity: 'Critical' }]),
  'a storm': storyContent('storm', readAt),
  'a storm in the previous period': storyContent('storm', readAt, readAt - 130 * DAY),
  'silence for 50 days': storyContent('silence', readAt),
  'silence that ended': storyContent('silence', readAt, readAt - 15 * DAY),
  'none in the previous period': company([...spread(200, 85), ...spread(300, 120, () => ({}), 200)]),
  'most of it open': company(
    spread(206, 260, (place) => ({ close: place % 17 === 0 ? 86_400 * (1 + place / 3) : null })),
  ),
  'times of 140 days': company(
    usual(8, 52, 4).map((one) => ({ ...one, close: one.close! * 3_000 })),
    { crew },
  ),
  'one that nobody answered': company([{ ago: 20, severity: 'Critical', ack: null, person: null }]),
  'three weeks of age': company(spread(58, 20)),
  'a team born last week': company([
    ...spread(500, 260, (place) => ({ team: ['Search', 'Checkout'][place % 2]! })),
    ...spread(11, 5, () => ({ team: 'Foxtrot' }), 1),
  ]),
  'no assignments': company(spread(300, 260, (place) => ({ ack: place % 2 ? null : 300, person: null }))),
  'nothing but Info': company(spread(200, 260, () => ({ severity: 'Info' }))),
  'everything done in no time': company(spread(275, 260, () => ({ ack: 0, close: 0 }))),
  'nobody acknowledges': company(
    usual(20, 52, 5, () => ({ ack: null })),
    { crew },
  ),
  'a machine that acknowledges': company(
    usual(20, 52, 5, () => ({ ack: 0 })),
    { crew },
  ),
  'a severity that is new': company([
    ...spread(300, 260, () => ({ severity: 'Warning' })),
    ...spread(160, 80, () => ({ severity: 'Info' }), 1),
  ]),
  'severities relabelled': company(
    usual(40, 52, 6).map((one) =>
      one.severity === 'Warning' && one.ago < 92 ? { ...one, severity: 'Info', close: one.close! * 4 } : one,
    ),
    { crew },
  ),
  'one person': company(
    usual(12, 52, 7, () => ({ person: 5 })),
    { crew },
  ),
  'two of a crew': company(
    usual(24, 52, 7, () => ({ team: 'Search' })).map((one, place) => ({ ...one, person: 5 + (place % 2) })),
    { crew: [...crew, 'Eli', 'Fay', 'Gus', 'Hal'] },
  ),
  'teams by the hundred': company(
    usual(50, 30, 8).map((one, place) => ({ ...one, team: `Team ${(place * 7) % 200}` })),
    { crew },
  ),
  'clocks that change': company(usual(30, 52, 9), { crew, zone: 'Europe/Berlin' }),
  'a leap day': company(usual(30, 52, 10), { crew, now: Date.UTC(2028, 2, 6, 12) / 1_000 }),
  'thirteen hours ahead': company(usual(30, 52, 11), { crew, zone: 'Pacific/Tongatapu' }),
  'three years': company(usual(6, 162, 12), { crew, days: 1_138 }),
  '40 days read': company(usual(30, 5, 13), { crew, days: 40 }),
  '120 days read': company(usual(30, 17, 14), { crew, days: 120 }),
  'hostile names': company(
    usual(30, 52, 15).map((one, place) => ({
      ...one,
      team: hostile[place % 4]!,
      title: hostile[place % 3]!,
    })),
    { crew: hostile },
  ),
  'one team silent': company(
    usual(40, 52, 16).filter(({ team, ago }) => team !== 'Search' || ago > 42),
    { crew },
  ),
  'one severity silent': company(
    usual(40, 52, 17).filter(({ severity, ago }) => severity !== 'Critical' || ago > 60),
    { crew },
  ),
  'a merge of two companies': company(
    [
      ...usual(20, 52, 18),
      ...usual(40, 8, 19).map((one, place) => ({ ...one, team: ['Mobile', 'Storefront'][place % 2]! })),
    ],
    { crew },
  ),
  'a team that stops acknowledging': company(
    usual(40, 52, 20).map((one) => (one.team === 'Search' && one.ago < 90 ? { ...one, ack: null } : one)),
    { crew },
  ),
  'a bot that closes everything': company(
    usual(30, 52, 21, () => ({ ack: null, close: 300 })),
    { crew },
  ),
  'one title for most': company(
    usual(30, 52, 22).map((one, place) =>
      place % 5 ? { ...one, title: 'Nightly run of ledger-writer' } : one,
    ),
    { crew },
  ),
  'nothing ever closed': company(
    usual(20, 52, 23, () => ({ close: null })),
    { crew },
  ),
  'the first day': company(spread(12, 0.9), { days: 1 }),
  'five incidents a year': company(spread(5, 360)),
  growth: company(
    usual(60, 52, 24).filter(({ ago }, place) => (place * 37) % 100 < 100 * Math.exp(-ago / 150)),
    { crew },
  ),
  'two teams with one name': named(
    company(
      usual(40, 52, 25).map((one, place) => ({ ...one, team: ['A', 'B', 'Search'][place % 3]! })),
      { crew },
    ),
    (name) => (name === 'Search' ? name : 'Payments'),
  ),
}
