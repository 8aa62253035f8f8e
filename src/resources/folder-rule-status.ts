import { folderRuleStatus as status } from '../contract/monit.ts'
import { tolerant } from '../contract/tolerant.ts'
import { integer, type Resource, text, time } from './resource.ts'

export const folderRuleStatus = {
  table: 'folder_rule_status',
  description: 'One row per alert-rule folder and run. A folder includes its children: never sum the tree.',
  key: ['snapshot_at', 'folder_id'],
  operation: 'monit/rule/status',
  record: tolerant(status),
  items: [],
  read: { kind: 'snapshot', input: { folder_id: 0 }, at: 'snapshot_at' },
  columns: [
    time('snapshot_at', 'When the service was asked.'),
    integer('folder_id', 'Folder of alert rules.'),
    text('folder_name', 'Name of the folder.'),
    integer('rule_total', 'Rules in the folder and those below it.'),
    integer(
      'triggered_rule_count',
      'Of these, rules triggered; NULL where the service did not count them, as in a folder of very many rules.',
    ),
  ],
  children: [],
} as const satisfies Resource
