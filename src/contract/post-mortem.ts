import { z } from 'zod'
import { POST_MORTEM_ID, POST_MORTEM_PARAMETER } from './assumptions.ts'
import { optional } from './fields.ts'
import { int64 } from './int64.ts'
import { operation } from './operation.ts'
import { unixSeconds } from './time.ts'

/** A post-mortem report: whom it concerns, when, and its text. */
export const postMortem = z.looseObject({
  meta: z.looseObject({
    post_mortem_id: z.string(),
    account_id: optional(int64),
    title: optional(z.string()),
    status: optional(z.string()),
    template_id: optional(z.string()),
    incident_ids: optional(z.array(z.string())),
    media_count: optional(int64),
    author_ids: optional(z.array(int64)),
    team_id: optional(int64),
    channel_id: optional(int64),
    is_private: optional(z.boolean()),
    channel_name: optional(z.string()),
    created_at_seconds: optional(unixSeconds),
    updated_at_seconds: unixSeconds,
  }),
  basics: z.looseObject({
    incidents_highest_severity: optional(z.string()),
    incidents_earliest_start_seconds: optional(unixSeconds),
    incidents_latest_close_seconds: optional(unixSeconds),
    incidents_total_duration_seconds: optional(int64),
    responders: optional(
      z.array(z.looseObject({ person_id: int64, assigned_at: unixSeconds, acknowledged_at: unixSeconds })),
    ),
  }),
  content: z.looseObject({ content: optional(z.string()) }),
  follow_ups: optional(z.string()),
})
export type PostMortem = z.infer<typeof postMortem>

/** GET, with the id as its one query parameter. */
export const postMortemInfo = operation('incident/post-mortem/info', {
  summary: 'Read one post-mortem report.',
  method: 'GET',
  permissions: ['incident view (on-call)'],
  request: z.object({
    [POST_MORTEM_PARAMETER]: z
      .string()
      .regex(POST_MORTEM_ID, 'expected 32 hexadecimal characters')
      .meta({ description: '32 hexadecimal characters.', examples: ['0b7d5e3f1a9c48d2b6e4f0a1c3d5e7f9'] }),
  }),
  response: postMortem,
})
