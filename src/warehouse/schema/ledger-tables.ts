import type { Table } from '../../definitions/tables.ts'
import { flag, integer, text, time } from '../../resources/resource.ts'

/** Tables of the sync itself, such as runs and quarantined records. */
export const ledger = [
  {
    name: 'sync_runs',
    description: 'One row per sync of an account, identified by account_id and run_id.',
    key: ['account_id', 'run_id'],
    columns: [
      integer('run_id', 'Number of the run, counted separately for each account.'),
      integer('account_id', 'Account that was read.'),
      text('account_name', 'Name of the account in the configuration; NULL if it has none.'),
      time('started_at', 'Start of the run, by the clock of this machine.'),
      time('finished_at', 'End of the run; NULL if it is still running or was killed.'),
      time('service_time_at', "When the run began, according to the service's clock."),
      text('status', 'running, ok, partial or failed: the worst status of its parts.'),
      time('as_of_at', 'Time up to which all data was read; NULL if the run was not complete.'),
      integer('rows_read', 'Records received.'),
      integer('rows_written', 'Rows inserted or replaced.'),
      integer('requests', 'Requests sent.'),
      integer('throttled', 'Requests that the service rejected because of its rate limits.'),
      { name: 'seconds', type: 'DOUBLE', meaning: 'Duration of the run.' },
      text('version', 'Version of Faultline.'),
      text('message', 'What went wrong; NULL if nothing did.'),
    ],
  },
  {
    name: 'accounts',
    description: 'One row per account that was ever synced.',
    key: ['account_id'],
    columns: [
      integer('account_id', 'Key of the account.'),
      text('name', 'Name of the account in the configuration; NULL if it has none.'),
    ],
  },
  {
    name: 'sync_windows',
    description:
      'One row per window of a run: why it was read, how far reading got, and the total that the service reported.',
    key: ['account_id', 'run_id', 'window_id'],
    columns: [
      integer('account_id', 'Account of the records.'),
      integer('run_id', 'Run of the account.'),
      integer('window_id', 'Number of the window within the run.'),
      text('resource', 'Kind of record.'),
      text('reason', 'Why the window was read.'),
      time('window_start', 'Start of the window.'),
      time('window_end', 'End of the window (exclusive).'),
      text(
        'state',
        'open, done, unproven (records were missing or were not requested), or accepted (unproven, but accepted by a person).',
      ),
      integer('rows_read', 'Records received.'),
      integer('total_seen', 'Total that the service reported.'),
      integer('requests', 'Requests sent for the window.'),
      text('cursor', 'Cursor of the next page.'),
      time('updated_at', 'When this row was last stored.'),
      text('message', 'What went wrong; NULL if nothing did.'),
    ],
  },
  {
    name: 'sync_accepted',
    description:
      'Windows that a person accepted (`sync --accept-unproven`) although they were unverified or could not be read. One row per window of that run, and of later runs in which the window was no more complete.',
    columns: [
      integer('account_id', 'Account of the records.'),
      integer('run_id', 'Run in which the window was accepted.'),
      text('resource', 'Kind of record.'),
      time('window_start', 'Start of the window; NULL for records that are not read by window.'),
      time('window_end', 'End of the window (exclusive).'),
      integer(
        'row_count',
        'Records that were missing, surplus or not requested; NULL if the window could not be read.',
      ),
    ],
  },
  {
    name: 'sync_checks',
    description:
      'Last check of each record that is read by its id: whether the service still had it, and whether the key may read it.',
    columns: [
      integer('account_id', 'Account that owns the record.'),
      text('resource', 'Kind of record.'),
      text('id', 'Key of the record, as text.'),
      time('checked_at', 'Time of the last check.'),
      flag('is_missing', 'Whether the service no longer had the record.'),
      flag('is_private', 'Whether the key is not permitted to read the record.'),
    ],
  },
  {
    name: 'sync_rows',
    description:
      'Number of rows of an account in each table at the end of its last run, for verifying published copies.',
    columns: [
      integer('account_id', 'Account that owns the rows.'),
      text('table_name', 'Table.'),
      integer('row_count', 'Rows of the account in the table.'),
    ],
  },
  {
    name: 'quarantine',
    description:
      'Records that failed validation, were refused or could not be read. They are removed when a valid copy is read. One row per account, resource and payload.',
    columns: [
      integer('run_id', 'Last run in which the record was received.'),
      integer('account_id', 'Account that owns the record.'),
      text('resource', 'Kind of record.'),
      text('operation', 'Operation that returned the record.'),
      text('request_id', 'Last request that returned the record.'),
      text('path', 'Invalid field.'),
      text('reason', 'Why the field is invalid.'),
      text(
        'payload',
        'The record as received; if it is longer than 32,768 characters, only the beginning of each field.',
      ),
      time('seen_at', 'When the record was last received.'),
      text('record_key', 'Key of the record, or its position in the list; NULL if unknown.'),
      time('first_seen_at', 'When it was first received.'),
      integer('times_seen', 'Number of runs in which the record was received.'),
    ],
  },
  {
    name: 'schema_drift',
    description: 'Fields and enum values that the API document does not list, once per account.',
    columns: [
      integer('account_id', 'Account whose records contain it.'),
      text('resource', 'Kind of record.'),
      text('field', 'Undocumented field, or field with an undocumented value.'),
      text('kind', '"unknown field", or "unknown word: " with the first 64 characters of the value.'),
      time('first_seen_at', 'When it was first received.'),
      integer('run_id', 'Run in which it was first received.'),
    ],
  },
  {
    name: 'report_runs',
    description: 'One row per figure of a report run, with its period, scope, data and definition.',
    columns: [
      text('run_key', 'Key of the run of a report.'),
      time('ran_at', 'When the report was created.'),
      text('report', 'Name of the report.'),
      { name: 'period_from', type: 'DATE', meaning: 'First local day of the period.' },
      { name: 'period_to', type: 'DATE', meaning: 'First local day after the period.' },
      text('timezone', 'Time zone of the report.'),
      text('account', 'Accounts to which the report was limited.'),
      text('team', 'Teams to which the report was limited.'),
      text('severity', 'Severities to which the report was limited.'),
      text('figure', 'Query and column of the figure, as query.column.'),
      text('label', 'Label of the figure in the report.'),
      { name: 'value', type: 'DOUBLE', meaning: 'Value of the figure.' },
      integer('n', 'Sample size of the figure.'),
      time('as_of_at', 'Time up to which its data was read.'),
      text('definition', 'Key of the definition of the figure.'),
      text('version', 'Version of Faultline.'),
    ],
  },
  {
    name: 'faultline_meta',
    description:
      'Metadata of this file: the privacy rules of its rows, and the definitions and settings it was created with.',
    columns: [text('key', 'Name of the entry.'), text('value', 'Value of the entry.')],
  },
] as const satisfies readonly Table[]

export const ledgerNames: readonly string[] = ledger.map(({ name }) => name)
