import { folderRuleStatus as status } from '../contract/monit.ts'
import { tolerant } from '../contract/tolerant.ts'
import { integer, type Resource, text, time } from './resource.ts'

export const folderRuleStatus = {
  table: 'folder_rule_status',
  description:
    'One row per alert-rule folder and run. The counts of a folder include its subfolders, so never add up folders.',
  key: ['snapshot_at', 'folder_id'],
  operation: 'monit/rule/status',
  record: tolerant(status),
  items: [],
  read: { kind: 'snapshot', input: { folder_id: 0 }, at: 'snapshot_at' },
  columns: [
    time('snapshot_at', 'When the status was read.'),
    integer('folder_id', 'Folder of alert rules.'),
    text('folder_name', 'Name of the folder.'),
    integer('rule_total', 'Number of rules in the folder and its subfolders.'),
    integer(
      'triggered_rule_count',
      'Number of these rules that are triggered; NULL if the service did not count them, for example because the folder has too many rules.',
    ),
  ],
  children: [],
} as const satisfies Resource
