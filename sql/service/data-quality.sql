-- Records that figures exclude or adjust, one row per account and check. Counts are over the whole history. The age of
-- the data is not included, because it needs the clock of the reader, which a view never reads.
-- columns:
-- account_id: the account
-- check_name: name of the check
-- affected: rows that the check affects
-- total: rows checked, or null if that number is unknown
-- share: affected / total, 0 to 1, or null if total is null
-- meaning: meaning of an affected row, and how figures treat it
with
  as_of as (select * from as_of),
  channel_owners as (select * from channel_owners),
  incidents as (select * from incidents),
  incident_times as (select * from incident_times),
  measure_spans as (select * from measure_spans),
  quarantine as (select * from quarantine),
  schema_drift as (select * from schema_drift),
  sync_windows as (select * from sync_windows),
  base_set_checks as (
    select
      account_id,
      count(*) as total,
      count(*) filter (is_muted) as muted,
      count(corrected) as corrected,
      count(*) filter (is_negative_ack) as negative_ack,
      count(*) filter (is_negative_close) as negative_close,
      count(*) filter (is_negative_recover) as negative_recover,
      count(*) filter (is_closed_before_ack) as closed_before_ack,
      count(*) filter (not is_open and close_time < end_time) as closed_before_recovery,
      count(*) filter (created_at < start_time) as created_before_start,
      count(*) filter (is_open and start_time > as_of_at) as started_after_as_of,
      count(*) filter (is_conflict and not is_open) as closed_without_close_time,
      count(*) filter (is_conflict and is_open) as close_time_while_open,
      count(*) filter (channel_id = 0) as no_channel,
      count(*) filter (channel_id is distinct from 0 and team_name = '(unknown)') as unknown_team,
      count(*) filter (start_time < known_from_at) as before_channel_read
    from incident_times
    left join (select account_id, channel_id, known_from_at from channel_owners where since_at is null)
      using (account_id, channel_id)
    group by account_id
  ),
  counts as (
    select account_id, 'deleted' as check_name, count(deleted_at) as affected, count(*) as total
    from incidents
    group by account_id
    union all
    select account_id, 'vanished', count(*) filter (deleted_at is null and vanished_at is not null), count(*)
    from incidents
    group by account_id
    union all
    select account_id, 'merged_away', count(*) filter (is_merged_away(progress, creator_id, alert_cnt)), count(*)
    from incidents
    where deleted_at is null and vanished_at is null
    group by account_id
    union all
    select account_id, check_name, affected, total
    from base_set_checks
    unpivot (affected for check_name in (columns(* exclude (account_id, total))))
    union all
    select account_id, 'wrong_measure', count(*) filter (is_wrong), count(*)
    from measure_spans
    group by account_id
    union all
    select account_id, 'quarantined', count(*), null
    from quarantine
    group by account_id
    union all
    select account_id, 'schema_drift', count(*), null
    from schema_drift
    group by account_id
    union all
    select as_of.account_id, 'windows_not_proven', count(*) filter (sync_windows.state <> 'done'), count(*)
    from sync_windows
    join as_of using (account_id, run_id)
    group by as_of.account_id
  ),
  meanings (check_name, meaning) as (
    values
      ('deleted', 'Deleted in the service; excluded.'),
      ('vanished', 'Removed from the service without being deleted; excluded.'),
      ('muted', 'Muted at some time; in counts, not in times to acknowledge or resolve, pages or targets.'),
      ('merged_away', 'Merged into another incident (closed, created by the system, without alerts); excluded.'),
      ('corrected', 'Value replaced by a configured correction; the corrected value is used.'),
      ('negative_ack', 'Acknowledged before it started; excluded from the time to acknowledge.'),
      ('negative_close', 'Closed before it started; excluded from the time to close.'),
      ('negative_recover', 'Recovered before it started; excluded from the time to recover.'),
      ('closed_before_ack', 'Closed before it was acknowledged; both times are used, the hands-on time is not.'),
      ('closed_before_recovery', 'Closed before its alerts recovered; excluded from the close lag.'),
      ('created_before_start', 'Created before it started; excluded from the detection lag.'),
      ('started_after_as_of', 'Open, but started after the data was read; has no age.'),
      ('closed_without_close_time', 'Closed without a close time; counted as closed, has no time to close.'),
      ('close_time_while_open', 'Has a close_time but is not Closed (reopened); counted as open.'),
      ('wrong_measure', 'Negative custom duration; excluded from that duration.'),
      ('no_channel', 'Standalone incident; its team is "(no channel)".'),
      ('unknown_team', 'Its channel or the owner of its channel is unknown; its team is "(unknown)".'),
      (
        'before_channel_read',
        'Started before the owner of its channel was first recorded; belongs to the first recorded owner.'
      ),
      ('quarantined', 'Record quarantined by validation; excluded, or included as its last valid version.'),
      ('schema_drift', 'Undocumented field or enum value from the service; stored as received.'),
      ('windows_not_proven', 'Time window of the latest run that is not verified as complete; rows may be missing.')
  ),
  final as (
    select
      account_id,
      check_name,
      coalesce(counts.affected, 0) as affected,
      case when check_name not in ('quarantined', 'schema_drift') then coalesce(counts.total, 0) end as total,
      counts.affected / nullif(counts.total, 0) as share,
      meanings.meaning
    from as_of
    cross join meanings
    left join counts using (account_id, check_name)
  )
select * from final
