import { z } from 'zod'
import {
  FLAPPING_IN_MINS,
  FLAPPING_MAX_CHANGES,
  FLAPPING_MUTE_MINS,
  GROUP_METHODS,
  GROUP_WINDOW_TYPES,
} from './assumptions.ts'
import { emptyPayload } from './envelope.ts'
import { hexId, optional, text } from './fields.ts'
import { int64, int64In, unixSeconds } from './int64.ts'
import { AUTO_RESOLVE_TIMEOUT_MAX_S, MANAGING_TEAMS_MAX } from './limits.ts'
import { operation } from './operation.ts'
import { needed } from './tolerant.ts'

/** A channel. Its `status` is `enabled`, `disabled` or `deleted`. Only the first four fields are documented. */
export const channel = z.looseObject({
  channel_id: needed(int64),
  channel_name: needed(z.string()),
  status: needed(z.string()),
  team_id: needed(int64),
  managing_team_ids: z.array(int64).optional(),
  description: z.string().optional(),
  auto_resolve_timeout: int64.optional(),
  auto_resolve_mode: z.string().optional(),
  group: z.record(z.string(), z.unknown()).optional(),
  flapping: z.record(z.string(), z.unknown()).optional(),
  is_private: z.boolean().optional(),
  disable_outlier_detection: z.boolean().optional(),
  disable_auto_close: z.boolean().optional(),
  is_external_report_enabled: z.boolean().optional(),
  creator_id: int64.optional(),
  created_at: unixSeconds.optional(),
  updated_at: unixSeconds.optional(),
})
export type Channel = z.infer<typeof channel>

const group = z.looseObject({
  method: optional(z.enum(GROUP_METHODS)).describe('i = smart grouping, p = rule grouping, n = no grouping.'),
  time_window: optional(int64In(0)).describe('Length of the window, minutes.'),
  window_type: optional(z.enum(GROUP_WINDOW_TYPES)).describe('Type of the window.'),
})

const flapping = z.looseObject({
  is_disabled: optional(z.boolean()).describe('true = flapping is not detected.'),
  max_changes: optional(int64In(FLAPPING_MAX_CHANGES.min, FLAPPING_MAX_CHANGES.max)).describe(
    'Number of state changes above which an alert is flapping.',
  ),
  in_mins: optional(int64In(FLAPPING_IN_MINS.min, FLAPPING_IN_MINS.max)).describe(
    'Period in which the changes are counted, minutes.',
  ),
  mute_mins: optional(int64In(FLAPPING_MUTE_MINS.min, FLAPPING_MUTE_MINS.max)).describe(
    'Silence after flapping was detected, minutes.',
  ),
})

const teamId = 'Owning team.'
const name = 'Name of the channel.'

const settings = {
  team_id: optional(int64).describe(teamId),
  managing_team_ids: optional(z.array(int64).max(MANAGING_TEAMS_MAX)).describe('Other managing teams.'),
  channel_name: optional(text(1, 59)).describe(name),
  description: optional(text(0, 500)).describe('Description.'),
  group: optional(group).describe('Alert grouping.'),
  flapping: optional(flapping).describe('Flapping detection.'),
  auto_resolve_timeout: optional(int64In(0, AUTO_RESOLVE_TIMEOUT_MAX_S)).describe(
    'Seconds; 0 = never auto-resolve.',
  ),
  auto_resolve_mode: optional(z.enum(['trigger', 'update'])).describe('How the auto-resolve timer is reset.'),
  is_private: optional(z.boolean()).describe('true = visible to managing teams only.'),
  disable_outlier_detection: optional(z.boolean()).describe('Disables detection of rare incidents.'),
  disable_auto_close: optional(z.boolean()).describe('Disables automatic incident closing.'),
  is_external_report_enabled: optional(z.boolean()).describe(
    'Lets external reporters report into the channel.',
  ),
}

const channelId = int64.describe('The channel.')
const manage = ['channel management (on-call)'] as const

export const channelOperations = [
  operation('channel/create', {
    summary: 'Create a channel.',
    permissions: manage,
    writes: true,
    request: z.object({
      ...settings,
      team_id: int64.describe(teamId),
      channel_name: text(1, 59).describe(name),
      integration_ids: optional(z.array(int64)).describe('Integrations subscribed to the channel.'),
      escalate_rule: optional(z.record(z.string(), z.unknown())).describe('Default assignment policy.'),
    }),
    response: z.looseObject({ channel_id: int64, channel_name: z.string() }),
  }),
  operation('channel/update', {
    summary: 'Update the fields of a channel that are sent.',
    permissions: manage,
    writes: true,
    request: z.object({ ...settings, channel_id: channelId }),
    response: z.looseObject({ external_report_token: z.string() }),
  }),
  operation('channel/info', {
    summary: 'Read one channel.',
    request: z.object({ channel_id: channelId }),
    response: channel,
  }),
  operation('channel/enable', {
    summary: 'Enable a disabled channel.',
    permissions: manage,
    writes: true,
    request: z.object({ channel_id: channelId }),
    response: emptyPayload,
  }),
  operation('channel/unsubscribe/rule/enable', {
    summary: 'Enable a disabled exclusion rule of a channel.',
    writes: true,
    request: z.object({
      channel_id: channelId,
      rule_id: hexId.describe('The exclusion rule. 24 hexadecimal characters.'),
    }),
    response: emptyPayload,
  }),
] as const
