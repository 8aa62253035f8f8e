import type { Table } from '../../definitions/tables.ts'
import { flag, integer, text, time } from '../../resources/resource.ts'

/** The sync's own tables, which can be queried like the data: runs, windows, and quarantined records. */
export const ledger = [
  {
    name: 'sync_runs',
    description:
      'One row per sync of an account; account_id and run_id are its key. Its status is the worst of its parts; service_time_at is the clock of the service when it began; as_of_at is the moment up to which everything was read, NULL when it did not get there.',
    key: ['account_id', 'run_id'],
    columns: [
      integer('run_id', 'Number of the run; each account counts its own.'),
      integer('account_id', 'Account it read.'),
      text('account_name', 'Name of the account in the configuration; NULL without one.'),
      time('started_at', 'When it began, by the clock of this machine.'),
      time('finished_at', 'When it ended; NULL while it runs or when it was killed.'),
      time('service_time_at', 'Clock of the service when it began.'),
      text('status', 'running, ok, partial or failed: the worst of its parts.'),
      time('as_of_at', 'Everything was read up to this moment; NULL when it did not get there.'),
      integer('rows_read', 'Records received.'),
      integer('rows_written', 'Rows inserted or replaced.'),
      integer('requests', 'Requests sent.'),
      integer('throttled', 'Requests the service refused because of its limits.'),
      { name: 'seconds', type: 'DOUBLE', meaning: 'How long it took.' },
      text('version', 'Version of the program.'),
      text('message', 'What went wrong; NULL when nothing did.'),
    ],
  },
  {
    name: 'accounts',
    description:
      'One row per account that was ever synced; its name is that of the configuration, NULL where it has none.',
    key: ['account_id'],
    columns: [
      integer('account_id', 'Key of the account.'),
      text('name', 'Its name in the configuration; NULL without one.'),
    ],
  },
  {
    name: 'sync_windows',
    description:
      'One row per window of a run: why it was read, how far it got, and the total the service named.',
    key: ['account_id', 'run_id', 'window_id'],
    columns: [
      integer('account_id', 'Account it was read of.'),
      integer('run_id', 'Run of that account it belongs to.'),
      integer('window_id', 'Place among the windows of the run.'),
      text('resource', 'What was read.'),
      text('reason', 'Why it was read.'),
      time('window_start', 'First moment of the window.'),
      time('window_end', 'First moment after it.'),
      text(
        'state',
        'open, done, unproven (not everything came, or what was not asked for), or accepted: unproven, and a person took it so.',
      ),
      integer('rows_read', 'Records received.'),
      integer('total_seen', 'Records the service says there are.'),
      integer('requests', 'Requests it took.'),
      text('cursor', 'Where to go on.'),
      time('updated_at', 'When its state was last stored.'),
      text('message', 'What went wrong; NULL when nothing did.'),
    ],
  },
  {
    name: 'sync_accepted',
    description:
      'What was accepted although it was not proven complete, or could not be read, since a person said so (`sync --accept-unproven`): one row per window of that run, and of later runs that found no more.',
    columns: [
      integer('account_id', 'Account it was read of.'),
      integer('run_id', 'Run in which it was accepted.'),
      text('resource', 'What was read.'),
      time('window_start', 'First moment of the window; NULL of what is not read by windows.'),
      time('window_end', 'First moment after it.'),
      integer(
        'row_count',
        'Records that were missing, too many or not asked for; NULL if the window could not be read.',
      ),
    ],
  },
  {
    name: 'sync_checks',
    description:
      'When a record that is read by its id was last looked at, whether the service still had it, and whether the key may read it.',
    columns: [
      integer('account_id', 'Account that owns the record.'),
      text('resource', 'Kind of record.'),
      text('id', 'Key of the record, as text.'),
      time('checked_at', 'When it was last looked at.'),
      flag('is_missing', 'The service had it no longer.'),
      flag('is_private', 'The key may not read it.'),
    ],
  },
  {
    name: 'sync_rows',
    description:
      'How many rows of an account each table held when its last run was finished: a published copy is verified by them.',
    columns: [
      integer('account_id', 'Account whose rows they are.'),
      text('table_name', 'Table.'),
      integer('row_count', 'Rows of the account in it.'),
    ],
  },
  {
    name: 'quarantine',
    description:
      'Records that do not fit their schema, were refused or could not be read, until a good copy comes: one row per account, resource and payload. first_seen_at is when it came first, seen_at when it came last, times_seen in how many runs it came; run_id and request_id are of the last.',
    columns: [
      integer('run_id', 'Last run it came in.'),
      integer('account_id', 'Account that owns the record.'),
      text('resource', 'Kind of record.'),
      text('operation', 'Operation that answered with it.'),
      text('request_id', 'Last request that brought it.'),
      text('path', 'Field that does not fit.'),
      text('reason', 'Why it does not fit.'),
      text('payload', 'The record as it came; of one above 32,768 characters the beginnings of its fields.'),
      time('seen_at', 'When it came last.'),
      text('record_key', 'Key of the record, or its place in the list; NULL if unknown.'),
      time('first_seen_at', 'When it came first.'),
      integer('times_seen', 'Runs it came in.'),
    ],
  },
  {
    name: 'schema_drift',
    description:
      'Fields the service sent that its document does not name, and words of enumerated fields, each noted once an account.',
    columns: [
      integer('account_id', 'Account whose records have it.'),
      text('resource', 'Kind of record.'),
      text('field', 'Field that its document does not name, or whose word it does not name.'),
      text('kind', '"unknown field", or "unknown word: " with the first 64 characters of the word.'),
      time('first_seen_at', 'When it came first.'),
      integer('run_id', 'Run that saw it first.'),
    ],
  },
  {
    name: 'report_runs',
    description:
      'One row per figure that a run of a report gave: for which period and scope, from data up to when, and by which definition. run_key is the run; figure is query.column.',
    columns: [
      text('run_key', 'Key of the run of a report.'),
      time('ran_at', 'When it ran.'),
      text('report', 'Name of the report.'),
      { name: 'period_from', type: 'DATE', meaning: 'First local day of the period.' },
      { name: 'period_to', type: 'DATE', meaning: 'First local day after it.' },
      text('timezone', 'Zone of the report.'),
      text('account', 'Accounts it was narrowed to.'),
      text('team', 'Teams it was narrowed to.'),
      text('severity', 'Severities it was narrowed to.'),
      text('figure', 'query.column of the figure.'),
      text('label', 'What the report calls it.'),
      { name: 'value', type: 'DOUBLE', meaning: 'What it was.' },
      integer('n', 'How many it was made of.'),
      time('as_of_at', 'Its data was read up to this moment.'),
      text('definition', 'Key of the definition it was made by.'),
      text('version', 'Version of the program.'),
    ],
  },
  {
    name: 'faultline_meta',
    description:
      'Notes on this file: the privacy rules its rows follow, the definitions and settings it was made of.',
    columns: [text('key', 'What is noted.'), text('value', 'The note.')],
  },
] as const satisfies readonly Table[]

export const ledgerNames: readonly string[] = ledger.map(({ name }) => name)
