import { POST_MORTEM_PARAMETER } from '../contract/assumptions.ts'
import { postMortem } from '../contract/post-mortem.ts'
import { flag, integer, text, time } from './column.ts'
import type { Resource } from './resource.ts'

/** Post-mortem reports that incidents link to: meta, basics, responders and content. */
export const postMortems = {
  table: 'post_mortems',
  description: 'One row per post-mortem report that an incident links to.',
  key: ['post_mortem_id'],
  operation: 'incident/post-mortem/info',
  record: postMortem,
  items: [],
  read: {
    kind: 'ids',
    parameter: POST_MORTEM_PARAMETER,
    batch: 1,
    from: { table: 'incidents', column: 'post_mortem_id' },
    refresh: { afterDays: 7, while: { column: 'status', not: 'published' } },
  },
  updated: 'updated_at',
  columns: [
    text('post_mortem_id', 'meta.post_mortem_id'),
    integer('account_id', 'meta.account_id'),
    text('title', 'meta.title'),
    text('status', 'meta.status'),
    text('template_id', 'meta.template_id'),
    integer('media_count', 'meta.media_count'),
    integer('team_id', 'meta.team_id'),
    integer('channel_id', 'meta.channel_id'),
    text('channel_name', 'meta.channel_name'),
    flag('is_private', 'meta.is_private'),
    time('created_at', 'meta.created_at_seconds'),
    time('updated_at', 'meta.updated_at_seconds'),
    text('incidents_highest_severity', 'basics.incidents_highest_severity'),
    time('incidents_earliest_start', 'basics.incidents_earliest_start_seconds'),
    time('incidents_latest_close', 'basics.incidents_latest_close_seconds'),
    integer('incidents_total_duration_seconds', 'basics.incidents_total_duration_seconds'),
    text('content', 'content.content'),
    text('follow_ups'),
  ],
  children: [
    { table: 'post_mortem_incidents', path: ['meta', 'incident_ids'], columns: [text('incident_id', '')] },
    { table: 'post_mortem_authors', path: ['meta', 'author_ids'], columns: [integer('person_id', '')] },
    {
      table: 'post_mortem_responders',
      path: ['basics', 'responders'],
      columns: [integer('person_id'), time('assigned_at'), time('acknowledged_at')],
    },
  ],
} as const satisfies Resource
