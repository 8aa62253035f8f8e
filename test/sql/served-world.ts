import type { Incident, World } from '../support/world.ts'

/**
 * Content of a warehouse in two forms: as the service sends it, and with absent fields filled in for the independent
 * computation.
 */
interface Served {
  raw: World
  filled: World
}

const blank = {
  incident_id: '',
  start_time: 0,
  ack_time: 0,
  end_time: 0,
  close_time: 0,
  created_at: 0,
  updated_at: 0,
  deleted_at: 0,
  vanished_at: 0,
  progress: '',
  incident_severity: '',
  creator_id: 0,
  closer_id: 0,
  alert_cnt: 0,
  alert_event_cnt: 0,
  ever_muted: false,
  channel_id: 0,
  channel_name: '',
  integration_id: 0,
  integration_type: '',
  dedup_key: '',
  post_mortem_id: '',
  account_time_zone: '',
  title: '',
  labels: {},
  root_cause: '',
  resolution: '',
  impact: '',
  assigned_to: {},
  _seen_at: 0,
} satisfies Incident

export function withFilled(raw: World): Served {
  const filled = raw.incidents.map((record) => ({
    ...blank,
    ...Object.fromEntries(
      Object.entries(record).filter(([, value]) => value !== null && value !== undefined),
    ),
  }))
  return { raw, filled: { ...raw, incidents: filled } }
}
