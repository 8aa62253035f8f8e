import { z } from 'zod'
import { COMMENT_INCIDENTS_MAX, COMMENT_LENGTH_MAX, PAGE_DEPTH_MAX } from './assumptions.ts'
import { emptyPayload } from './envelope.ts'
import { commaSeparated, hexId, isLong, optional } from './fields.ts'
import { int64, int64In, unixSeconds } from './int64.ts'
import { LIST_WINDOW_S, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from './limits.ts'
import { operation } from './operation.ts'
import { postMortemInfo } from './post-mortem.ts'
import { needed } from './tolerant.ts'

/** Severities, from worst to mildest. */
export const SEVERITIES = ['Critical', 'Warning', 'Info', 'Ok'] as const
/** Values of `incident_severity` in a request. `Ok` occurs in records, but cannot be used as a filter. */
const SEVERITY_FILTERS = ['Critical', 'Warning', 'Info'] as const
export const PROGRESS = ['Triggered', 'Processing', 'Closed'] as const

const FREQUENCY = ['frequent', 'rare'] as const
/** How alerts were grouped: smart, by rule, or not at all. */
const GROUPED_BY = ['i', 'p', 'n'] as const

/** A member to whom an incident was assigned. The API document does not mention the last three fields. */
export const responder = z.looseObject({
  person_id: needed(int64),
  assigned_at: needed(unixSeconds),
  acknowledged_at: needed(unixSeconds),
  person_name: z.string().optional(),
  email: z.string().optional(),
  as: z.string().optional(),
})

const strings = z.array(z.string())
const ids = z.array(int64)
/** An object whose fields are not documented, such as PersonShort, LinkItem and Image. */
const object = z.record(z.string(), z.unknown())

/** `person_ids` is empty if nobody is assigned. */
const assignment = z.looseObject({
  person_ids: ids,
  escalate_rule_id: z.string(),
  layer_idx: int64,
  type: z.string(),
  assigned_at: unixSeconds,
  id: z.string(),
  escalate_rule_name: z.string(),
})

/** One incident as documented. To parse responses, use `tolerant(incident)`, which requires only `needed` fields. */
export const incident = z.looseObject({
  incident_id: needed(hexId),
  account_id: needed(int64),
  channel_id: needed(int64),
  integration_id: int64,
  integration_ids: ids,
  integration_types: strings,
  dedup_key: z.string(),
  equals_md5: z.string(),
  start_time: needed(unixSeconds),
  end_time: needed(unixSeconds),
  last_time: unixSeconds,
  ack_time: needed(unixSeconds),
  close_time: needed(unixSeconds),
  creator_id: int64,
  closer_id: int64,
  owner_id: int64,
  incident_status: needed(z.enum(SEVERITIES)),
  incident_severity: needed(z.enum(SEVERITIES)),
  progress: needed(z.enum(PROGRESS)),
  title: needed(z.string()),
  description: z.string(),
  ai_summary: z.string(),
  impact: z.string(),
  root_cause: z.string(),
  resolution: z.string(),
  num: z.string(),
  frequency: z.enum(FREQUENCY).optional(),
  deleted_at: unixSeconds.optional(),
  created_at: needed(unixSeconds),
  updated_at: needed(unixSeconds),
  snoozed_before: unixSeconds,
  group_method: z.enum(GROUPED_BY),
  ever_muted: z.boolean(),
  labels: z.record(z.string(), z.string()),
  fields: object,
  assigned_to: assignment,
  reporter_email: z.string().optional(),
  alert_cnt: int64,
  active_alert_cnt: int64,
  alert_event_cnt: int64,
  alerts: z.array(object).optional(),
  closer: object.optional(),
  creator: object.optional(),
  owner: object.optional(),
  responders: z.array(responder),
  account_name: z.string(),
  account_locale: z.string(),
  account_time_zone: z.string(),
  channel_name: z.string(),
  channel_status: z.string(),
  detail_url: z.string(),
  silence_url: z.string(),
  links: z.array(object).optional(),
  integration_type: z.string().optional(),
  post_mortem_id: z.string(),
  images: z.array(object).nullable(),
  manual_overrides: strings,
  data_source_id: int64.optional(),
  data_source_ids: ids.optional(),
  data_source_type: z.string().optional(),
  data_source_types: strings.optional(),
})
export type Incident = z.infer<typeof incident>

const only = (which: string) => optional(z.boolean()).describe(`true = only ${which}.`)

const listRequest = z
  .object({
    start_time: int64.meta({ description: 'Start of the window, Unix seconds.', examples: [1_795_176_000] }),
    end_time: int64.meta({
      description: 'End of the window, Unix seconds; must exceed start_time, by 31 days at most.',
      examples: [1_795_262_400],
    }),
    asc: optional(z.boolean()).describe('true = ascending order.'),
    is_snoozed: only('incidents with notifications paused'),
    is_my_team: only("channels managed by the caller's teams"),
    is_my_channel: only('channels the caller manages personally'),
    ever_muted: only('incidents ever silenced'),
    is_rare: only('rare incidents'),
    progress: optional(commaSeparated(PROGRESS)).describe(`Comma-separated: ${PROGRESS.join(', ')}.`),
    query: optional(z.string()).describe('Full-text keyword.'),
    incident_severity: optional(commaSeparated(SEVERITY_FILTERS)).describe(
      `Comma-separated: ${SEVERITY_FILTERS.join(', ')}.`,
    ),
    channel_ids: optional(ids).describe('Channels; 0 = standalone incidents.'),
    team_ids: optional(ids).describe('Teams, resolved through the team owning the channel.'),
    responder_ids: optional(ids).describe('Members who were assigned.'),
    acker_ids: optional(ids).describe('Members who acknowledged.'),
    creator_ids: optional(ids).describe('Members who created them; 0 = automatically created.'),
    closer_ids: optional(ids).describe('Members who closed them; 0 = automatically closed.'),
    incident_ids: optional(z.array(hexId)).describe('Restrict to these IDs.'),
    nums: optional(strings).describe('Short identifiers.'),
    p: optional(int64In(0)).describe('Page number, starting at 1.'),
    limit: optional(int64In(0, PAGE_LIMIT_MAX)).meta({
      description: 'Page size.',
      default: PAGE_LIMIT_DEFAULT,
    }),
    search_after_ctx: optional(z.string()).describe('Cursor returned by the previous response.'),
  })
  .refine((body) => body.end_time > body.start_time, { path: ['end_time'], error: 'must exceed start_time' })
  .refine((body) => BigInt(body.end_time) - BigInt(body.start_time) <= LIST_WINDOW_S, {
    path: ['end_time'],
    error: 'the window may be 31 days at most',
  })
  .meta({
    description: `end_time must exceed start_time, by 31 days at most; p × limit may reach ${PAGE_DEPTH_MAX.toLocaleString('en')}, search_after_ctx has no limit.`,
  })

export const incidentOperations = [
  operation('incident/list', {
    summary: 'List incidents that started in a window, paginated.',
    permissions: ['incident view (on-call)'],
    request: listRequest,
    response: z.looseObject({
      items: needed(z.array(incident)),
      total: needed(int64),
      has_next_page: needed(z.boolean()),
      search_after_ctx: z.string().optional(),
    }),
  }),
  operation('incident/comment', {
    summary: 'Add a text comment to the timeline of incidents.',
    permissions: ['incident management (on-call)'],
    writes: true,
    request: z.object({
      incident_ids: z.array(hexId).min(1).max(COMMENT_INCIDENTS_MAX).describe('Incidents to comment on.'),
      comment: z
        .string()
        .refine(
          (comment) => isLong(comment.trim(), 1, COMMENT_LENGTH_MAX),
          `expected 1 to ${COMMENT_LENGTH_MAX} characters`,
        )
        .meta({
          minLength: 1,
          maxLength: COMMENT_LENGTH_MAX,
          pattern: '\\S',
          description: 'The comment. Characters are counted after trimming.',
        }),
      mute_reply: optional(z.boolean()).describe('true = webhooks are not notified.'),
    }),
    response: emptyPayload,
  }),
  postMortemInfo,
] as const
