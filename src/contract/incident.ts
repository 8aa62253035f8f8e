import { z } from 'zod'
import { COMMENT_INCIDENTS_MAX, COMMENT_LENGTH_MAX, INCIDENT_IDS_MAX, PAGE_DEPTH_MAX } from './assumptions.ts'
import { nothing } from './envelope.ts'
import { commaSeparated, hexId, optional } from './fields.ts'
import { int64, int64In } from './int64.ts'
import { LIST_WINDOW_S, PAGE_LIMIT_MAX } from './limits.ts'
import { operation } from './operation.ts'
import { postMortemInfo } from './post-mortem.ts'
import { unixSeconds } from './time.ts'

/** Words of `incident_severity` that a request may name (`Ok` occurs in records, not in the filter). */
export const SEVERITY_FILTERS = ['Critical', 'Warning', 'Info'] as const
export const PROGRESS = ['Triggered', 'Processing', 'Closed'] as const

/** A member who was assigned an incident. Some records also carry person_name, email or as. */
export const responder = z.looseObject({
  person_id: int64,
  assigned_at: unixSeconds,
  acknowledged_at: unixSeconds,
  person_name: optional(z.string()),
  email: optional(z.string()),
  as: optional(z.string()),
})

const strings = z.array(z.string())
const ids = z.array(int64)
const object = z.record(z.string(), z.unknown())

/**
 * One incident. Identifiers and times are strict; words that only group (severity, status, progress, frequency,
 * method) are open, so that a new value of the service still loads.
 */
export const incident = z.looseObject({
  incident_id: hexId,
  account_id: int64,
  channel_id: int64,
  start_time: unixSeconds,
  end_time: unixSeconds,
  ack_time: unixSeconds,
  close_time: unixSeconds,
  created_at: unixSeconds,
  updated_at: unixSeconds,
  progress: z.string(),
  incident_severity: z.string(),
  incident_status: z.string(),
  title: z.string(),
  integration_id: optional(int64),
  integration_ids: optional(ids),
  integration_type: optional(z.string()),
  integration_types: optional(strings),
  dedup_key: optional(z.string()),
  equals_md5: optional(z.string()),
  last_time: optional(unixSeconds),
  creator_id: optional(int64),
  closer_id: optional(int64),
  owner_id: optional(int64),
  description: optional(z.string()),
  ai_summary: optional(z.string()),
  impact: optional(z.string()),
  root_cause: optional(z.string()),
  resolution: optional(z.string()),
  num: optional(z.string()),
  frequency: optional(z.string()),
  deleted_at: optional(unixSeconds),
  snoozed_before: optional(unixSeconds),
  group_method: optional(z.string()),
  ever_muted: optional(z.boolean()),
  labels: optional(object),
  fields: optional(object),
  assigned_to: optional(object),
  reporter_email: optional(z.string()),
  alert_cnt: optional(int64),
  active_alert_cnt: optional(int64),
  alert_event_cnt: optional(int64),
  alerts: optional(z.array(object)),
  closer: optional(object),
  creator: optional(object),
  owner: optional(object),
  responders: optional(z.array(responder)),
  account_name: optional(z.string()),
  account_locale: optional(z.string()),
  account_time_zone: optional(z.string()),
  channel_name: optional(z.string()),
  channel_status: optional(z.string()),
  detail_url: optional(z.string()),
  silence_url: optional(z.string()),
  links: optional(z.array(object)),
  post_mortem_id: optional(z.string()),
  images: optional(z.array(object)),
  manual_overrides: optional(strings),
  data_source_id: optional(int64),
  data_source_ids: optional(ids),
  data_source_type: optional(z.string()),
  data_source_types: optional(strings),
})
export type Incident = z.infer<typeof incident>

const listRequest = z
  .object({
    start_time: int64.meta({ description: 'Start of the window, Unix seconds.', examples: [1_795_176_000] }),
    end_time: int64.meta({ description: 'End of the window.', examples: [1_795_262_400] }),
    asc: optional(z.boolean()),
    is_snoozed: optional(z.boolean()),
    is_my_team: optional(z.boolean()),
    is_my_channel: optional(z.boolean()),
    ever_muted: optional(z.boolean()),
    is_rare: optional(z.boolean()),
    progress: optional(commaSeparated(PROGRESS)),
    query: optional(z.string()),
    incident_severity: optional(commaSeparated(SEVERITY_FILTERS)),
    channel_ids: optional(ids),
    team_ids: optional(ids),
    responder_ids: optional(ids),
    acker_ids: optional(ids),
    creator_ids: optional(ids),
    closer_ids: optional(ids),
    incident_ids: optional(z.array(hexId).max(INCIDENT_IDS_MAX)),
    nums: optional(strings),
    p: optional(int64In(0)),
    limit: optional(int64In(0, PAGE_LIMIT_MAX)),
    search_after_ctx: optional(z.string()),
  })
  .refine((body) => body.end_time > body.start_time, { path: ['end_time'], error: 'must exceed start_time' })
  .refine((body) => BigInt(body.end_time) - BigInt(body.start_time) <= LIST_WINDOW_S, {
    path: ['end_time'],
    error: 'the window may be 31 days at most',
  })
  .meta({
    description: `end_time must exceed start_time, by 31 days at most; p × limit may reach ${PAGE_DEPTH_MAX.toLocaleString('en')}, search_after_ctx has no end.`,
  })

/** Operations under /incident. */
export const incidentOperations = [
  operation('incident/list', {
    summary: 'List incidents that started in a window, paginated.',
    permissions: ['incident view (on-call)'],
    request: listRequest,
    response: z.looseObject({
      items: z.array(incident),
      total: int64,
      has_next_page: z.boolean(),
      search_after_ctx: optional(z.string()),
    }),
  }),
  operation('incident/comment', {
    summary: 'Add a text comment to the timeline of incidents.',
    permissions: ['incident management (on-call)'],
    writes: true,
    request: z.object({
      incident_ids: z.array(hexId).min(1).max(COMMENT_INCIDENTS_MAX),
      comment: z
        .string()
        .refine(
          (comment) => isLength([...comment.trim()].length),
          `expected 1 to ${COMMENT_LENGTH_MAX} characters`,
        )
        .meta({
          minLength: 1,
          maxLength: COMMENT_LENGTH_MAX,
          pattern: '\\S',
          description: 'Characters are counted after trimming.',
        }),
      mute_reply: optional(z.boolean()),
    }),
    response: nothing,
  }),
  postMortemInfo,
] as const

function isLength(length: number): boolean {
  return length >= 1 && length <= COMMENT_LENGTH_MAX
}
