import type { Channel } from '../../dist/contract/channel.js'
import type { Incident } from '../../dist/contract/incident.js'
import type { Member, Team } from '../../dist/contract/organization.js'
import type { PostMortem } from '../../dist/contract/post-mortem.js'

/** The account id of every company. It exceeds 2^53, like ids of the real service. */
export const ACCOUNT = 2n ** 53n + 77n

/** A new incident with every field that the API document promises. */
export function newIncident(
  id: string,
  { start, channel, severity, now }: { start: number; channel: Channel; severity: Severity; now: number },
): Incident {
  return {
    incident_id: id,
    account_id: ACCOUNT,
    channel_id: channel.channel_id,
    channel_name: channel.channel_name,
    channel_status: channel.status,
    integration_id: 7,
    integration_ids: [7, 2n ** 60n + 1n],
    integration_types: ['prometheus'],
    dedup_key: `key-${id.slice(-2)}`,
    equals_md5: id,
    start_time: start,
    end_time: 0,
    last_time: start,
    ack_time: 0,
    close_time: 0,
    creator_id: 0,
    closer_id: 0,
    owner_id: 0,
    incident_status: severity,
    incident_severity: severity,
    progress: 'Triggered',
    title: `${TITLES[Number.parseInt(id.slice(-1), 16) % TITLES.length]} ${id.slice(-4)}`,
    description: 'It went wrong.',
    ai_summary: '',
    impact: '',
    root_cause: '',
    resolution: '',
    num: id.slice(-6).toUpperCase(),
    created_at: now,
    updated_at: now,
    snoozed_before: 0,
    group_method: 'p',
    ever_muted: false,
    labels: { service: `service-${id.slice(-1)}` },
    fields: {},
    assigned_to: {
      person_ids: [],
      escalate_rule_id: 'r',
      layer_idx: 0,
      type: 'assign',
      assigned_at: start,
      id: 'a',
      escalate_rule_name: 'rule',
    },
    alert_cnt: 1,
    active_alert_cnt: 1,
    alert_event_cnt: 3,
    responders: [],
    account_name: 'Simulated',
    account_locale: 'en-US',
    account_time_zone: 'Europe/Berlin',
    detail_url: `https://service.example/${id}`,
    silence_url: '',
    post_mortem_id: '',
    images: [],
    manual_overrides: [],
  }
}

type Severity = Incident['incident_severity']

const TITLES = [
  'disk full',
  '=HYPERLINK("x")',
  '<b>checkout</b> slow',
  'queue \u202e stuck',
  'certificate',
  'latency',
]

/** The judge `secrets` searches for addresses of this form. */
export const addressOf = (id: number) => `person-${id}@mail.example`

export function newMember(id: number, now: number): Member {
  return {
    account_id: ACCOUNT,
    member_id: id,
    member_name: `Person ${id}`,
    country_code: '49',
    phone: '***1234',
    email: addressOf(id),
    avatar: '',
    ref_id: '',
    phone_verified: true,
    email_verified: true,
    is_external: false,
    status: 'enabled',
    account_role_ids: [2],
    created_at: now,
    updated_at: now,
  }
}

export const newTeam = (id: number, people: number[]): Team => ({
  team_id: id,
  team_name: `Team ${id}`,
  person_ids: people,
})

export const newChannel = (id: number, team: number, now: number): Channel => ({
  channel_id: id,
  channel_name: `Channel ${id}`,
  status: 'enabled',
  team_id: team,
  created_at: now,
  updated_at: now,
})

export function newPostMortem(id: string, { incident_id, channel_id }: Incident, now: number): PostMortem {
  return {
    meta: {
      account_id: ACCOUNT,
      post_mortem_id: id,
      title: `What happened to ${incident_id}`,
      status: 'draft',
      template_id: 't',
      media_count: 0,
      incident_ids: [incident_id],
      author_ids: [1],
      team_id: 1,
      channel_id,
      channel_name: '',
      is_private: false,
      created_at_seconds: now,
      updated_at_seconds: now,
    },
    basics: {
      incidents_highest_severity: 'Critical',
      incidents_earliest_start_seconds: now,
      incidents_latest_close_seconds: now,
      incidents_total_duration_seconds: 60,
      responders: [],
    },
    content: { content: 'draft' },
    follow_ups: '',
  } as unknown as PostMortem
}
