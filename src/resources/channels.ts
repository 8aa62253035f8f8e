import { channel } from '../contract/channel.ts'
import { tolerant } from '../contract/tolerant.ts'
import { flag, integer, integers, json, type Resource, text, time } from './resource.ts'

export const channels = {
  table: 'channels',
  description: 'One row per channel that an incident was seen in.',
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
    text('status', 'enabled when active.'),
    integer('team_id', 'Team that owns it.'),
    integers('managing_team_ids', 'Further teams that manage it.'),
    text('description', 'Description.'),
    integer(
      'auto_resolve_timeout',
      'After how long it closes incidents by itself; the document does not name the unit.',
    ),
    text('auto_resolve_mode', 'From when that time counts, as the service writes it.'),
    json('group', 'How alerts are grouped: method, time_window, window_type.'),
    json('flapping', 'How flapping is detected.'),
    flag('is_private', 'Only its teams see it.'),
    flag('disable_outlier_detection', 'Rare incidents are not looked for.'),
    flag('disable_auto_close', 'Incidents are not closed by recovery.'),
    flag('is_external_report_enabled', 'People outside may report incidents.'),
    integer('creator_id', 'Member who created it.'),
    time('created_at', 'When it was created.'),
    time('updated_at', 'When it last changed.'),
  ],
  children: [],
} as const satisfies Resource
