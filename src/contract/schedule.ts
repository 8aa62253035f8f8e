import { z } from 'zod'
import { optional } from './fields.ts'
import { int64 } from './int64.ts'
import { operation } from './operation.ts'

const webhook = z.looseObject({
  type: z.string(),
  settings: z.looseObject({
    token: optional(z.string()),
    alias: optional(z.string()),
    data_source_id: optional(int64),
    chat_ids: optional(z.array(z.string())),
    verify_token: optional(z.string()),
    sign_secret: optional(z.string()),
  }),
})

/** An on-call schedule. Several fields have both an old and a new name, with the same value. */
export const schedule = z.looseObject({
  id: int64,
  schedule_id: int64,
  name: z.string(),
  schedule_name: z.string(),
  account_id: int64,
  group_id: int64,
  team_id: int64,
  description: optional(z.string()),
  disabled: int64,
  status: int64,
  create_at: int64,
  update_at: int64,
  create_by: int64,
  update_by: int64,
  layers: z.unknown(),
  schedule_layers: z.unknown(),
  layer_schedules: z.unknown(),
  cur_oncall: z.unknown(),
  next_oncall: z.unknown(),
  final_schedule: optional(
    z.looseObject({ layer_name: z.string(), name: z.string(), mode: int64, schedules: z.unknown() }),
  ),
  notify: optional(
    z.looseObject({
      advance_in_time: optional(int64),
      fixed_time: z.unknown(),
      by: optional(
        z.looseObject({ follow_preference: z.boolean(), personal_channels: optional(z.array(z.string())) }),
      ),
      webhooks: optional(z.array(webhook)),
    }),
  ),
})
export type Schedule = z.infer<typeof schedule>

/** Operations under /schedule. */
export const scheduleOperations = [
  operation('schedule/infos', {
    summary: 'Read many schedules by id.',
    permissions: ['schedule view (on-call)', 'schedule management (on-call)'],
    request: z.object({ schedule_ids: z.array(int64) }),
    response: z.looseObject({ items: z.array(schedule) }),
  }),
] as const
