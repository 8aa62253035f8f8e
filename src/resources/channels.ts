import { channel } from '../contract/channel.ts'
import { tolerant } from '../contract/tolerant.ts'
import { flag, integer, integers, json, type Resource, text, time } from './resource.ts'

export const channels = {
  table: 'channels',
  description: 'One row per channel with at least one incident.',
  key: ['channel_id'],
  operation: 'channel/info',
  record: tolerant(channel),
  items: [],
  read: {
    kind: 'ids',
    parameter: 'channel_id',
    batch: 1,
    from: { table: 'incidents', column: 'channel_id' },
    refresh: { afterDays: 7 },
  },
  versions: 'channel_versions',
  columns: [
    integer('channel_id', 'Key of the channel.'),
    text('channel_name', 'Name of the channel.'),
    text('status', 'Status; enabled if active.'),
    integer('team_id', 'Team that owns the channel.'),
    integers('managing_team_ids', 'Other teams that manage the channel.'),
    text('description', 'Description.'),
    integer(
      'auto_resolve_timeout',
      'Time after which incidents are closed automatically; the API document does not state its unit for this answer.',
    ),
    text('auto_resolve_mode', 'How the auto-resolve timer is reset, as the service writes it.'),
    json('group', 'Grouping of alerts: method, time_window, window_type.'),
    json('flapping', 'Settings of flapping detection.'),
    flag('is_private', 'Whether only its teams can see the channel.'),
    flag('disable_outlier_detection', 'Whether detection of rare incidents is disabled.'),
    flag('disable_auto_close', 'Whether automatic closing of incidents is disabled.'),
    flag('is_external_report_enabled', 'Whether external people can report incidents.'),
    integer('creator_id', 'Member who created the channel.'),
    time('created_at', 'When the channel was created.'),
    time('updated_at', 'When the channel last changed.'),
  ],
  children: [],
} as const satisfies Resource
