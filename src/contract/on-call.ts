import { z } from 'zod'
import { CALENDAR_ZONE_DEFAULT } from './assumptions.ts'
import { emptyPayload } from './envelope.ts'
import { hexId, optional, text, zone } from './fields.ts'
import { int64, int64In } from './int64.ts'
import { operation } from './operation.ts'
import { needed } from './tolerant.ts'

/** A required field that can have any value, including null, because its content is undocumented. */
const notShown = z.unknown().refine((value) => value !== undefined, 'is missing')

const webhook = z.looseObject({
  type: z.string(),
  settings: z.looseObject({
    token: z.string(),
    alias: z.string(),
    data_source_id: int64,
    chat_ids: z.array(z.string()),
    verify_token: z.string(),
    sign_secret: z.string(),
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
  description: z.string(),
  disabled: int64,
  status: int64,
  create_at: int64,
  update_at: int64,
  create_by: int64,
  update_by: int64,
  layers: notShown,
  schedule_layers: notShown,
  layer_schedules: notShown,
  cur_oncall: notShown,
  next_oncall: notShown,
  final_schedule: z.looseObject({
    layer_name: z.string(),
    name: z.string(),
    mode: int64,
    schedules: notShown,
  }),
  notify: z.looseObject({
    advance_in_time: int64,
    fixed_time: notShown,
    by: z.looseObject({ follow_preference: z.boolean(), personal_channels: z.array(z.string()) }),
    webhooks: z.array(webhook),
  }),
})
export type Schedule = z.infer<typeof schedule>

export const onCallOperations = [
  operation('schedule/infos', {
    summary: 'Read many schedules by id.',
    permissions: ['schedule view (on-call)', 'schedule management (on-call)'],
    request: z.object({ schedule_ids: z.array(int64).describe('The schedules.') }),
    response: z.looseObject({ items: needed(z.array(schedule)) }),
  }),
  operation('calendar/create', {
    summary: 'Create a service calendar.',
    permissions: ['service calendar management (on-call)'],
    writes: true,
    request: z.object({
      cal_name: text(1, 39).describe('Name of the calendar.'),
      description: optional(text(0, 499)).describe('Description.'),
      timezone: optional(zone).meta({
        description: 'IANA zone; empty means the default.',
        default: CALENDAR_ZONE_DEFAULT,
      }),
      team_id: optional(int64).describe('Team of the calendar; 0 = no team.'),
      workdays: optional(z.array(int64In(0, 6))).describe('Working days; 0 = Sunday, 6 = Saturday.'),
      extra_cal_ids: optional(z.array(z.string())).describe(
        'Public holiday calendars whose events are inherited.',
      ),
    }),
    response: z.looseObject({ cal_id: z.string(), cal_name: z.string() }),
  }),
  operation('template/delete', {
    summary: 'Delete a notification template that nothing refers to (soft).',
    permissions: ['template management (on-call)'],
    writes: true,
    request: z.object({ template_id: hexId.describe('The template. 24 hexadecimal characters.') }),
    response: emptyPayload,
  }),
] as const
