import type { DuckDBConnection } from '@duckdb/node-api'
import { createSettings } from '../../src/definitions/settings-tables.ts'
import { defaultSettings, type Settings } from '../../src/settings/settings.ts'
import { seeded } from './random.ts'
import { insert } from './tables.ts'
import { sharedWorld } from './warehouse.ts'

/** The table for each list of rows in `Content`. */
const tableOf = {
  incidents: 'incidents',
  responders: 'incident_responders',
  versions: 'incident_versions',
  channels: 'channels',
  channelVersions: 'channel_versions',
  teams: 'teams',
  crews: 'team_members',
  members: 'members',
  postMortems: 'post_mortems',
  runs: 'sync_runs',
  windows: 'sync_windows',
} as const

/** Content of a warehouse in the form of the service: times in Unix seconds, or 0 if they are not set. */
export interface Content extends Partial<Readonly<Record<keyof typeof tableOf, readonly object[]>>> {
  readonly quarantined?: number
  readonly settings?: Settings
}

/** All content of a warehouse, for an independent computation of its figures. */
export interface World {
  incidents: Incident[]
  responders: Responder[]
  runs: Run[]
  windows: { run_id: number; resource: string; state: string; updated_at: number; window_start?: number }[]
  quarantined: number
  versions: Version[]
  channels: readonly { channel_id: number; channel_name: string; team_id: number; updated_at?: number }[]
  teams: readonly { team_id: number; team_name: string }[]
  members: readonly { member_id: number; member_name: string }[]
  postMortems: readonly { post_mortem_id: string; created_at: number }[]
  settings: Settings
  /** Returns the seconds until a number of working hours has passed for a team. Set if working hours are configured. */
  dueAfter?: (from: number, target: number, hours: string, team: string) => number
}
export interface Incident {
  incident_id: string
  start_time: number
  ack_time: number
  end_time: number
  close_time: number
  created_at: number
  updated_at: number
  deleted_at: number
  vanished_at: number
  progress: string
  incident_severity: string
  creator_id: number
  closer_id: number
  alert_cnt: number
  alert_event_cnt: number
  ever_muted: boolean
  channel_id: number
  channel_name: string
  integration_id: number
  integration_type: string
  dedup_key: string
  post_mortem_id: string
  account_time_zone: string
  title: string
  labels: Record<string, string>
  fields?: Record<string, string | number>
  /** The value of the incident in each dimension, if dimensions are configured. */
  dimensions?: Record<string, string>
  /** The acknowledgement and close by people, if automation is configured. 0 means none. */
  byPeople?: { ack_time: number; closer_id: number }
  root_cause: string
  resolution: string
  impact: string
  assigned_to: { layer_idx?: number | string }
  _seen_at: number
}
export interface Version {
  incident_id: string
  progress: string
  close_time: number
  updated_at: number
  incident_severity: string
  _seen_at: number
  _replaced_at: number
}
export interface Responder {
  incident_id: string
  ordinal: number
  person_id: number
  assigned_at: number
  acknowledged_at: number
}
export interface Run {
  run_id: number
  status: string
  finished_at: number
  as_of_at: number
}

export const quarantineOf = ({ quarantined = 0 }: Content) =>
  Array.from({ length: quarantined }, (_, place) => ({
    run_id: 1,
    resource: 'incidents',
    payload: `{"place":${place}}`,
  }))

/** Replaces the content of the warehouse. */
export async function inhabit(connection: DuckDBConnection, content: Content): Promise<void> {
  for (const [list, table] of Object.entries(tableOf))
    await insert(connection, table, content[list as keyof typeof tableOf] ?? [])
  await insert(connection, 'quarantine', quarantineOf(content))
  await createSettings(connection, content.settings ?? defaultSettings)
}

/** The data was read on Sunday, 1 November 2026, at 11:30 in Berlin. */
export const asOf = Date.UTC(2026, 10, 1, 10, 30) / 1000
const week = 7 * 86_400
const teams = ['platform', 'payments', 'checkout', 'data', 'identity', 'search']
const people = [
  'Priya Raman',
  'Dario Conti',
  'Amara Osei',
  'Hanna Bergström',
  'Noor Haddad',
  'Tomás Ferreira',
]
const severities = ['Critical', 'Warning', 'Warning', 'Info', 'Info', 'Info', 'Info', 'Ok']
const titles = [
  'search-index: p99 latency above SLO',
  'ci-runners: connection pool exhausted',
  `warehouse-loader: "quotes" & <script>alert('x')</script> {{ x }} \${y} [a](javascript:alert(1))`,
  '=HYPERLINK("http://x","csv injection") session-store',
  'auth: disk \u001b[31mpressure\u001b[0m \u202egnp.exe',
  'k8s-prod-eu: TLS certificate near expiry',
]

/** Thirty weeks of a company that became faster midway, with muted, open, unacknowledged and bad incidents. */
export const settleCompany = sharedWorld((connection) => inhabit(connection, company()))

export function company(): Content {
  const next = seeded(7)
  const normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())
  const made: { incident: object; responder: object | undefined }[] = []
  for (let back = 30; back >= 0; back--) {
    const count = Math.round(31 + 6 * normal() + (back === 9 ? 22 : 0))
    for (let i = 0; i < count; i++) {
      const one = incidentOf(next, normal, back, made.length + 1)
      if (one) made.push(one)
    }
  }
  return {
    incidents: made.map(({ incident }) => incident),
    responders: made.flatMap(({ responder }) => responder ?? []),
    members: people.map((member_name, i) => ({ member_id: i + 1, member_name })),
    channels: teams.map((name, i) => ({ channel_id: i + 1, channel_name: name, team_id: i + 11 })),
    teams: teams.map((team_name, i) => ({ team_id: i + 11, team_name })),
    runs: [{ run_id: 1, status: 'ok', finished_at: asOf + 60, as_of_at: asOf }],
    windows: [
      {
        run_id: 1,
        resource: 'incidents',
        state: 'done',
        window_start: asOf - 31 * week,
        window_end: asOf,
      },
    ],
  }
}

/** Creates an incident that started `back` weeks ago. Undefined if it would start in the future. */
function incidentOf(next: () => number, normal: () => number, back: number, number: number) {
  const day = Math.floor(next() * 7)
  const hour = day < 5 ? Math.min(23.9, Math.max(0, 13 + 4.5 * normal())) : next() * 24
  const monday = Date.UTC(2026, 9, 25, 23) / 1000
  const start = Math.floor(monday - back * week + day * 86_400 + hour * 3600)
  if (start > asOf) return undefined
  const severity = Math.floor(next() * severities.length)
  const slow = Math.exp(severity / 5 + normal() * 1.05)
  const acknowledged = next() < 0.88
  const ack = start + Math.round(420 * (back > 14 ? 1.25 : 1) * Math.exp(0.8 * normal()))
  const close = start + Math.round(4000 * (back > 14 ? 1.6 : 1) * slow) + 60
  const open = close > asOf || next() < 0.015
  const id = String(number)
  let responder: object | undefined
  if (acknowledged) {
    const person_id = 1 + Math.floor(next() ** 1.4 * people.length)
    responder = { incident_id: id.padStart(24, '0'), ordinal: 0, person_id, assigned_at: start + 20 }
  }
  const incident = {
    incident_id: id.padStart(24, '0'),
    num: `INC-${999 + number}`,
    title: titles[Math.floor(next() * titles.length)],
    detail_url: id.endsWith('7') ? 'javascript:alert(1)' : `https://service.invalid/incident/detail/${id}`,
    account_time_zone: 'Europe/Berlin',
    channel_id: 1 + Math.floor(next() ** 1.5 * teams.length),
    incident_severity: severities[severity],
    progress: open ? (acknowledged ? 'Processing' : 'Triggered') : 'Closed',
    start_time: start,
    ack_time: acknowledged && ack < asOf ? (next() < 0.003 ? start - 60 : Math.min(ack, close)) : 0,
    close_time: open ? 0 : close,
    end_time: open ? 0 : close - Math.round(next() * 60),
    closer_id: next() < 0.7 ? 7 : 0,
    creator_id: 0,
    alert_cnt: 1,
    alert_event_cnt: 1 + Math.floor(next() * 20),
    ever_muted: next() < 0.04,
    created_at: start + 5,
    updated_at: Math.min(close, asOf),
  }
  return { incident, responder }
}
