import { settleUci498, uci498, type warehouseFile } from '../support/warehouse.ts'
import { inhabit, settleCompany } from '../support/world.ts'

const DAY = 86_400
const monday = Date.UTC(2026, 10, 2) / 1000
const asOf = monday + 12 * 3_600

/** A company of one team whose data was read on a Monday at noon. */
function settled(incidents: readonly { readonly incident_id: string; readonly start_time: number }[]) {
  const window = { resource: 'incidents', state: 'done', window_start: monday - 200 * DAY, window_end: asOf }
  return (connection: Parameters<typeof inhabit>[0]) =>
    inhabit(connection, {
      incidents,
      responders: incidents.map(({ incident_id, start_time }, place) => ({
        ...{ incident_id, ordinal: 0, person_id: 1 + (place % 3), assigned_at: start_time + 20 },
      })),
      channels: [{ channel_id: 1, channel_name: 'one', team_id: 2 }],
      teams: [{ team_id: 2, team_name: 'two' }],
      runs: [{ run_id: 1, status: 'ok', finished_at: asOf, as_of_at: asOf }],
      windows: [{ run_id: 1, ...window }],
    })
}

/** Sixteen weeks of incidents. Counts and durations change after week eight. */
function changed(before: { a_day: number; minutes: number }, after: { a_day: number; minutes: number }) {
  const incidents: { incident_id: string; start_time: number }[] = []
  for (let day = -112; day < 0; day++) {
    const { a_day, minutes } = day < -56 ? before : after
    for (let k = 0; k < a_day; k++) {
      const place = incidents.length
      const start_time = monday + day * DAY + ((((k * 7919 + day * 104_729) % DAY) + DAY) % DAY)
      const spread = 0.4 + ((place * 37) % 100) / 60
      const close_time = start_time + Math.round(60 * minutes * spread)
      const isOpen = close_time > asOf || place % 61 === 0
      const times = {
        ack_time: place % 7 === 0 ? 0 : start_time + Math.round(minutes * spread),
        ...{ close_time: isOpen ? 0 : close_time, progress: isOpen ? 'Triggered' : 'Closed' },
        ...{ closer_id: isOpen ? 0 : 7, creator_id: 0, alert_cnt: place % 53 === 0 ? 0 : 1 },
        ever_muted: place % 29 === 0,
        incident_severity: ['Critical', 'Warning', 'Info', 'Info'][(place * 13) % 4],
        channel_id: 1,
        account_time_zone: 'UTC',
        created_at: start_time,
        updated_at: start_time,
      }
      incidents.push({ incident_id: String(place).padStart(24, '0'), start_time, ...times })
    }
  }
  return settled(incidents)
}

interface Kind {
  minutes: readonly [before: number, now: number]
  /** Percentage of incidents that never close. `zeros` is the percentage that take 0 s. */
  open: readonly [before: number, now: number]
  zeros: number
}

/** Five incidents a day over sixteen weeks. */
function world({ minutes, open, zeros }: Kind) {
  const incidents = Array.from({ length: 560 }, (_, place) => {
    const side = place < 280 ? 0 : 1
    const start_time = monday - 112 * DAY + Math.floor(place / 5) * DAY + ((place * 7_919) % DAY)
    const spread = (place * 37) % 100 < zeros ? 0 : 0.4 + ((place * 53) % 100) / 40
    const close_time = start_time + Math.round(60 * minutes[side]! * spread)
    const ack_time = start_time + Math.round(minutes[side]! * spread)
    const isOpen = (place * 61) % 100 < open[side]! || close_time > asOf
    return {
      incident_id: `i${String(place).padStart(4, '0')}`,
      incident_severity: ['Critical', 'Warning', 'Info', 'Info'][(place * 13) % 4],
      start_time,
      ack_time: place % 7 === 0 || ack_time > asOf ? 0 : ack_time,
      ...{ close_time: isOpen ? 0 : close_time, progress: isOpen ? 'Triggered' : 'Closed' },
      ...{ closer_id: isOpen ? 0 : place % 5 === 0 ? 0 : 7, creator_id: 0, alert_cnt: 1 },
      end_time: place % 5 === 0 && !isOpen ? close_time : 0,
      ever_muted: place % 29 === 0,
      channel_id: 1,
      updated_at: start_time,
    }
  })
  return settled(incidents)
}

interface VerdictWorld {
  readonly called: string
  readonly fill: Parameters<typeof warehouseFile>[0]
  readonly from: string
  readonly to: string
  /** Whether the test also recomputes all verdicts with SQL. */
  readonly isRecomputed?: true
}

const eight = { from: '2026-09-07', to: '2026-11-02' }
const company = { from: '2026-08-31', to: '2026-10-26' }
const real = { from: '2016-04-25', to: '2016-05-23' }

export const worlds: readonly VerdictWorld[] = [
  {
    called: 'a company that got worse',
    fill: changed({ a_day: 3, minutes: 30 }, { a_day: 9, minutes: 120 }),
    ...eight,
    isRecomputed: true,
  },
  {
    called: 'a company that improved',
    fill: changed({ a_day: 8, minutes: 90 }, { a_day: 3, minutes: 20 }),
    ...eight,
    isRecomputed: true,
  },
  { called: 'few open incidents', fill: world({ minutes: [40, 90], open: [2, 3], zeros: 0 }), ...eight },
  { called: 'many open', fill: world({ minutes: [157, 178], open: [8, 17], zeros: 0 }), ...eight },
  {
    called: 'many more open incidents before',
    fill: world({ minutes: [300, 200], open: [40, 5], zeros: 0 }),
    ...eight,
  },
  { called: 'many durations of 0 s', fill: world({ minutes: [60, 45], open: [5, 12], zeros: 40 }), ...eight },
  {
    called: 'mostly durations of 0 s',
    fill: world({ minutes: [60, 60], open: [1, 1], zeros: 70 }),
    ...eight,
  },
  {
    called: 'much that lasts weeks',
    fill: world({ minutes: [20_000, 50_000], open: [0, 0], zeros: 0 }),
    ...eight,
  },
  { called: 'a typical company', fill: settleCompany, ...company, isRecomputed: true },
  ...(uci498 === null
    ? []
    : [{ called: 'real incidents', fill: settleUci498, ...real, isRecomputed: true as const }]),
]
