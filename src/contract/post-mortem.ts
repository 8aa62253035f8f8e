import { z } from 'zod'
import { POST_MORTEM_PARAMETER } from './assumptions.ts'
import { int64, unixSeconds } from './int64.ts'
import { operation } from './operation.ts'
import { needed } from './tolerant.ts'

export const postMortem = z.looseObject({
  meta: needed(
    z.looseObject({
      account_id: int64,
      title: z.string(),
      status: z.string(),
      post_mortem_id: needed(z.string()),
      template_id: z.string(),
      incident_ids: z.array(z.string()),
      media_count: int64,
      author_ids: z.array(int64),
      team_id: int64,
      channel_id: int64,
      is_private: z.boolean(),
      channel_name: z.string(),
      created_at_seconds: unixSeconds,
      updated_at_seconds: needed(unixSeconds),
    }),
  ),
  basics: needed(
    z.looseObject({
      incidents_highest_severity: z.string(),
      incidents_earliest_start_seconds: unixSeconds,
      incidents_latest_close_seconds: unixSeconds,
      incidents_total_duration_seconds: int64,
      responders: z.array(
        z.looseObject({
          person_id: needed(int64),
          assigned_at: needed(unixSeconds),
          acknowledged_at: needed(unixSeconds),
        }),
      ),
    }),
  ),
  content: needed(z.looseObject({ content: z.string() })),
  follow_ups: z.string(),
})
export type PostMortem = z.infer<typeof postMortem>

export const postMortemInfo = operation('incident/post-mortem/info', {
  summary: 'Read one post-mortem report.',
  method: 'GET',
  permissions: ['incident view (on-call)'],
  request: z.object({
    [POST_MORTEM_PARAMETER]: z
      .string()
      .min(1)
      .meta({
        description: 'The report. A hash of the account and the linked incidents; any text is accepted.',
        examples: ['0b7d5e3f1a9c48d2b6e4f0a1c3d5e7f9'],
      }),
  }),
  response: postMortem,
})
