import { flag, integer, text, time } from '../resources/column.ts'
import type { Table } from './tables.ts'

/** The sync's own tables: what was run, what was read, what did not fit. Queryable beside the data. */
export const ledger = [
  {
    name: 'sync_runs',
    description:
      'One row per sync of an account. Its status is the worst of its parts; service_time_at is the clock of the service when it began; as_of_at is the moment up to which everything was read, NULL when it did not get there.',
    columns: [
      integer('run_id'),
      integer('account_id'),
      text('account_name'),
      time('started_at'),
      time('finished_at'),
      time('service_time_at'),
      text('status'),
      time('as_of_at'),
      integer('rows_read'),
      integer('rows_written'),
      integer('requests'),
      integer('throttled'),
      { name: 'seconds', type: 'DOUBLE' },
      text('version'),
      text('message'),
    ],
  },
  {
    name: 'accounts',
    description:
      'One row per account that was ever synced; its name is that of the configuration, NULL where it has none.',
    columns: [integer('account_id'), text('name')],
  },
  {
    name: 'sync_windows',
    description:
      'One row per window of a run: why it was read, how far it got, and the total the service named.',
    columns: [
      integer('run_id'),
      integer('window_id'),
      text('resource'),
      text('reason'),
      time('window_start'),
      time('window_end'),
      text('state'),
      integer('rows_read'),
      integer('total_seen'),
      integer('requests'),
      text('cursor'),
      time('updated_at'),
      text('message'),
    ],
  },
  {
    name: 'sync_checks',
    description:
      'When a record that is read by its id was last looked at, and whether the service still had it.',
    columns: [integer('account_id'), text('resource'), text('id'), time('checked_at'), flag('is_missing')],
  },
  {
    name: 'quarantine',
    description:
      'Records that do not fit their schema and wait for one that they fit, or for a good copy: one row per account, resource and payload. first_seen_at is when it came first, seen_at when it came last, times_seen in how many runs it came; run_id and request_id are of the last.',
    columns: [
      integer('run_id'),
      integer('account_id'),
      text('resource'),
      text('operation'),
      text('request_id'),
      text('path'),
      text('reason'),
      text('payload'),
      time('seen_at'),
      text('record_key'),
      time('first_seen_at'),
      integer('times_seen'),
    ],
  },
  {
    name: 'schema_drift',
    description: 'Fields the service sent that its document does not name, each noted once.',
    columns: [text('resource'), text('field'), text('kind'), time('first_seen_at'), integer('run_id')],
  },
  {
    name: 'report_runs',
    description:
      'One row per figure that a run of a report gave: for which period and scope, from data up to when, and by which definition. run_key is the run; figure is query.column; sync_run_id is the newest sync the data was from.',
    columns: [
      text('run_key'),
      time('ran_at'),
      text('report'),
      { name: 'period_from', type: 'DATE' },
      { name: 'period_to', type: 'DATE' },
      text('timezone'),
      text('account'),
      text('team'),
      text('severity'),
      text('figure'),
      text('label'),
      { name: 'value', type: 'DOUBLE' },
      integer('n'),
      time('as_of_at'),
      integer('sync_run_id'),
      text('definition'),
      text('version'),
    ],
  },
  {
    name: 'faultline_meta',
    description: 'What this file is: the version of its layout and of the program that wrote it last.',
    columns: [text('key'), text('value')],
  },
] as const satisfies readonly Table[]
