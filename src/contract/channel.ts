import { z } from 'zod'
import {
  FLAPPING_IN_MINS,
  FLAPPING_MAX_CHANGES,
  FLAPPING_MUTE_MINS,
  GROUP_METHODS,
  GROUP_WINDOW_TYPES,
} from './assumptions.ts'
import { nothing } from './envelope.ts'
import { hexId, optional, text } from './fields.ts'
import { int64, int64In } from './int64.ts'
import { AUTO_RESOLVE_TIMEOUT_MAX_S, MANAGING_TEAMS_MAX } from './limits.ts'
import { operation } from './operation.ts'
import { unixSeconds } from './time.ts'

/** A collaboration space. `status` is `enabled` when active; `disabled` and `deleted` occur. */
export const channel = z.looseObject({
  channel_id: int64,
  channel_name: z.string(),
  status: z.string(),
  team_id: int64,
  managing_team_ids: optional(z.array(int64)),
  description: optional(z.string()),
  auto_resolve_timeout: optional(int64),
  auto_resolve_mode: optional(z.string()),
  group: optional(z.record(z.string(), z.unknown())),
  flapping: optional(z.record(z.string(), z.unknown())),
  is_private: optional(z.boolean()),
  disable_outlier_detection: optional(z.boolean()),
  disable_auto_close: optional(z.boolean()),
  is_external_report_enabled: optional(z.boolean()),
  creator_id: optional(int64),
  created_at: optional(unixSeconds),
  updated_at: optional(unixSeconds),
})
export type Channel = z.infer<typeof channel>

const settings = {
  team_id: optional(int64),
  managing_team_ids: optional(z.array(int64).max(MANAGING_TEAMS_MAX)),
  channel_name: optional(text(1, 59)),
  description: optional(text(0, 500)),
  group: optional(
    z.looseObject({
      method: optional(z.enum(GROUP_METHODS)),
      time_window: optional(int64In(0)),
      window_type: optional(z.enum(GROUP_WINDOW_TYPES)),
    }),
  ),
  flapping: optional(
    z.looseObject({
      is_disabled: optional(z.boolean()),
      max_changes: optional(int64In(FLAPPING_MAX_CHANGES.min, FLAPPING_MAX_CHANGES.max)),
      in_mins: optional(int64In(FLAPPING_IN_MINS.min, FLAPPING_IN_MINS.max)),
      mute_mins: optional(int64In(FLAPPING_MUTE_MINS.min, FLAPPING_MUTE_MINS.max)),
    }),
  ),
  auto_resolve_timeout: optional(int64In(0, AUTO_RESOLVE_TIMEOUT_MAX_S)),
  auto_resolve_mode: optional(z.enum(['trigger', 'update'])),
  is_private: optional(z.boolean()),
  disable_outlier_detection: optional(z.boolean()),
  disable_auto_close: optional(z.boolean()),
  is_external_report_enabled: optional(z.boolean()),
}

const manage = ['channel management (on-call)'] as const

/** Operations under /channel. */
export const channelOperations = [
  operation('channel/create', {
    summary: 'Create a channel.',
    permissions: manage,
    writes: true,
    request: z.object({
      ...settings,
      team_id: int64,
      channel_name: text(1, 59),
      integration_ids: optional(z.array(int64)),
      escalate_rule: optional(z.record(z.string(), z.unknown())),
    }),
    response: z.looseObject({ channel_id: int64, channel_name: z.string() }),
  }),
  operation('channel/update', {
    summary: 'Update the fields of a channel that are sent.',
    permissions: manage,
    writes: true,
    request: z.object({ ...settings, channel_id: int64 }),
    response: z.looseObject({ external_report_token: optional(z.string()) }),
  }),
  operation('channel/info', {
    summary: 'Read one channel.',
    request: z.object({ channel_id: int64 }),
    response: channel,
  }),
  operation('channel/enable', {
    summary: 'Enable a disabled channel.',
    permissions: manage,
    writes: true,
    request: z.object({ channel_id: int64 }),
    response: nothing,
  }),
  operation('channel/unsubscribe/rule/enable', {
    summary: 'Enable a disabled exclusion rule of a channel.',
    writes: true,
    request: z.object({ channel_id: int64, rule_id: hexId }),
    response: nothing,
  }),
] as const
