import type { Content } from '../support/world.ts'

const DAY = 86_400
/** The data was read on Monday, 2 November 2026, at noon; 400 days of it. */
export const readAt = Date.UTC(2026, 10, 2, 12) / 1_000

interface Made {
  /** Days before the data was read. */
  ago: number
  team?: string
  severity?: string
  /** Seconds; null is not yet, or nobody. */
  ack?: number | null
  close?: number | null
  person?: number | null
}

/** A company of these incidents, everything of the last 400 days read. */
function company(made: readonly Made[]): Content {
  const teams = [...new Set(made.map(({ team = 'Payments' }) => team))]
  const rows = made.map((one, place) => {
    const start_time = Math.round(readAt - one.ago * DAY)
    const { ack = 300, close = 3_600, severity = ['Critical', 'Warning', 'Info'][place % 3]! } = one
    const isOver = close !== null && start_time + close <= readAt
    const isAcked = ack !== null && start_time + ack <= readAt
    return {
      incident_id: String(place).padStart(24, '0'),
      ...{ num: `N${place}`, title: `Disk ${place} is full`, incident_severity: severity, start_time },
      ...{ ack_time: isAcked ? start_time + ack : 0, close_time: isOver ? start_time + close : 0 },
      ...{ progress: isOver ? 'Closed' : 'Triggered', closer_id: isOver ? 7 : 0, creator_id: 0 },
      ...{ alert_cnt: 1, alert_event_cnt: 1, channel_id: 1 + teams.indexOf(one.team ?? 'Payments') },
      ...{ account_time_zone: 'UTC', created_at: start_time, updated_at: start_time },
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
    members: [{ member_id: 5, member_name: 'Ana' }],
    channels: teams.map((_, index) => ({
      channel_id: index + 1,
      channel_name: `${teams[index]} alerts`,
      team_id: index + 1,
    })),
    teams: teams.map((team_name, index) => ({ team_id: index + 1, team_name })),
    runs: [{ run_id: 1, status: 'ok', finished_at: readAt, as_of_at: readAt }],
    windows: [
      {
        run_id: 1,
        resource: 'incidents',
        state: 'done',
        window_start: readAt - 400 * DAY,
        window_end: readAt,
      },
    ],
  }
}

/** So many over these days, evenly. */
const spread = (count: number, days: number, more: (place: number) => Partial<Made> = () => ({}), from = 0) =>
  Array.from(
    { length: count },
    (_, place): Made => ({ ago: from + 0.1 + (days * place) / count, ...more(place) }),
  )

/** Companies that a page may have nothing to say of, and must not make it up. */
export const oddWorlds: Record<string, Content> = {
  'one incident': company([{ ago: 20, severity: 'Critical' }]),
  'most of it open': company(
    spread(206, 260, (place) => ({ close: place % 17 === 0 ? 86_400 * (1 + place / 3) : null })),
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
  'a severity that is new': company([
    ...spread(300, 260, () => ({ severity: 'Warning' })),
    ...spread(160, 80, () => ({ severity: 'Info' }), 1),
  ]),
  'none in the previous period': company([...spread(200, 85), ...spread(300, 120, () => ({}), 200)]),
}
