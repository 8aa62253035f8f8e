import { TEAM_IDS_MAX } from '../contract/limits.ts'
import { team } from '../contract/organization.ts'
import { tolerant } from '../contract/tolerant.ts'
import { integer, type Resource, text } from './resource.ts'

export const teams = {
  table: 'teams',
  description: 'One row per team that owns a channel.',
  key: ['team_id'],
  operation: 'team/infos',
  record: tolerant(team),
  items: ['items'],
  read: {
    kind: 'ids',
    parameter: 'team_ids',
    batch: TEAM_IDS_MAX,
    from: { table: 'channels', column: 'team_id' },
    refresh: { afterDays: 1 },
  },
  columns: [integer('team_id', 'Key of the team.'), text('team_name', 'Name of the team.')],
  children: [
    {
      table: 'team_members',
      path: ['person_ids'],
      columns: [integer('person_id', 'Member of the team.', '')],
    },
  ],
} as const satisfies Resource
