import { channel } from '../contract/channel.ts'
import { flag, integer, integers, json, text, time } from './column.ts'
import type { Resource } from './resource.ts'

/** Channels that incidents came through; they give an incident its team. */
export const channels = {
  table: 'channels',
  description: 'One row per channel that an incident was seen in.',
  key: ['channel_id'],
  operation: 'channel/info',
  record: channel,
  items: [],
  read: {
    kind: 'ids',
    parameter: 'channel_id',
    batch: 1,
    from: { table: 'incidents', column: 'channel_id' },
    refresh: { afterDays: 7 },
  },
  columns: [
    integer('channel_id'),
    text('channel_name'),
    text('status'),
    integer('team_id'),
    integers('managing_team_ids'),
    text('description'),
    integer('auto_resolve_timeout'),
    text('auto_resolve_mode'),
    json('group'),
    json('flapping'),
    flag('is_private'),
    flag('disable_outlier_detection'),
    flag('disable_auto_close'),
    flag('is_external_report_enabled'),
    integer('creator_id'),
    time('created_at'),
    time('updated_at'),
  ],
  children: [],
} as const satisfies Resource
