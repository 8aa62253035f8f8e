import { POST_MORTEM_PARAMETER } from '../contract/assumptions.ts'
import { postMortem } from '../contract/post-mortem.ts'
import { tolerant } from '../contract/tolerant.ts'
import { flag, hexId, integer, type Resource, text, time } from './resource.ts'

export const postMortems = {
  table: 'post_mortems',
  description: 'One row per post-mortem report that an incident links to.',
  key: ['post_mortem_id'],
  operation: 'incident/post-mortem/info',
  record: tolerant(postMortem),
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
    hexId('post_mortem_id', 'Key of the report.', 'meta.post_mortem_id'),
    integer('account_id', 'Account that owns the row.', 'meta.account_id'),
    text('title', 'Title.', 'meta.title'),
    text('status', 'Status, as the service writes it.', 'meta.status'),
    text('template_id', 'Template of the report.', 'meta.template_id'),
    integer('media_count', 'Number of pictures and other media in the report.', 'meta.media_count'),
    integer('team_id', 'Team to which the report belongs.', 'meta.team_id'),
    integer('channel_id', 'Channel of its incidents.', 'meta.channel_id'),
    text('channel_name', 'Name of that channel.', 'meta.channel_name'),
    flag('is_private', 'Whether access to the report is restricted.', 'meta.is_private'),
    time('created_at', 'When the report was created.', 'meta.created_at_seconds'),
    time('updated_at', 'When the report last changed.', 'meta.updated_at_seconds'),
    text(
      'incidents_highest_severity',
      'Highest severity of its incidents.',
      'basics.incidents_highest_severity',
    ),
    time(
      'incidents_earliest_start',
      'Earliest start of its incidents.',
      'basics.incidents_earliest_start_seconds',
    ),
    time('incidents_latest_close', 'Latest close of its incidents.', 'basics.incidents_latest_close_seconds'),
    integer(
      'incidents_total_duration_seconds',
      'Total duration of its incidents, in seconds.',
      'basics.incidents_total_duration_seconds',
    ),
    text('content', 'Text of the report, as serialized rich text.', 'content.content'),
    text('follow_ups', 'Follow-up actions.'),
  ],
  children: [
    {
      table: 'post_mortem_incidents',
      path: ['meta', 'incident_ids'],
      columns: [hexId('incident_id', 'Incident the report is about.', '')],
    },
    {
      table: 'post_mortem_authors',
      path: ['meta', 'author_ids'],
      columns: [integer('person_id', 'Member.', '')],
    },
    {
      table: 'post_mortem_responders',
      path: ['basics', 'responders'],
      columns: [
        integer('person_id', 'Member.'),
        time('assigned_at', 'When this person was assigned.'),
        time('acknowledged_at', 'When this person acknowledged; NULL if they did not.'),
      ],
    },
  ],
} as const satisfies Resource
