-- Why figures of the period changed since $ran_at: what is known of each incident now, against what the runs that had
-- finished then had read. One row a reason; an incident counts under the first that holds. Contents that were replaced are
-- in incident_versions, each with the run of its account that read it.
-- reason: in words;  incidents: how many;  examples: numbers of up to three of them
with
  runs as (
    select
      account_id,
      coalesce(max(run_id) filter (finished_at <= $ran_at), 0) as last_run_id
    from sync_runs
    group by account_id
  ),
  later as (
    select account_id, min(service_time_at) as began_at
    from sync_runs
    join runs using (account_id)
    where run_id > last_run_id
    group by account_id
  ),
  contents as (
    select *, null::timestamptz as _replaced_at from incidents
    union all by name
    select * from incident_versions
  ),
  changed as (
    select distinct account_id, incident_id
    from contents
    join runs using (account_id)
    where _run_id > last_run_id or vanished_at is not null
  ),
  known as (
    select contents.*
    from contents
    semi join changed using (account_id, incident_id)
    join runs using (account_id)
    where _run_id <= last_run_id
    qualify row_number() over (partition by account_id, incident_id order by _run_id desc, _replaced_at desc nulls first) = 1
  ),
  compared as (
    select
      coalesce(nullif(now.num, ''), now.incident_id) as num,
      known.incident_id is not null as was_known,
      is_merged_away(known.progress, known.creator_id, known.alert_cnt) as was_merged,
      is_merged_away(now.progress, now.creator_id, now.alert_cnt) as is_merged,
      known.deleted_at is not null as was_deleted,
      now.deleted_at is not null as is_deleted,
      coalesce(now.vanished_at >= later.began_at, false) as has_vanished,
      coalesce(known.start_time >= $period_start and known.start_time < $period_end, false) as was_in,
      now.start_time >= $period_start and now.start_time < $period_end as is_in,
      known.incident_severity is distinct from now.incident_severity as severity_moved,
      known.progress is distinct from 'Closed' as was_open,
      now.progress is distinct from 'Closed' as is_open,
      known.close_time is distinct from now.close_time as close_moved,
      known.ack_time is distinct from now.ack_time as ack_moved,
      coalesce(known.ever_muted, false) <> coalesce(now.ever_muted, false) as muting_moved,
      known.channel_id is distinct from now.channel_id as channel_moved
    from incidents as now
    semi join changed using (account_id, incident_id)
    left join known using (account_id, incident_id)
    left join later using (account_id)
  ),
  explained as (
    select
      num,
      case
        when not was_known then case when is_in and not is_deleted and not has_vanished then 'new' end
        when not was_in and not is_in then null
        when is_deleted and not was_deleted then 'deleted'
        when was_deleted and not is_deleted then 'restored'
        when is_deleted then null
        when has_vanished then 'no longer known to the service'
        when is_merged and not was_merged then 'merged into another'
        when was_in and not is_in then 'moved out of the period'
        when is_in and not was_in then 'moved into the period'
        when severity_moved then 'with another severity'
        when was_open and not is_open then 'closed since'
        when is_open and not was_open then 'reopened'
        when close_moved then 'with another close time'
        when ack_moved then 'with another acknowledgement'
        when muting_moved then 'muted or unmuted'
        when channel_moved then 'moved to another channel'
      end as reason
    from compared
  )
select
  reason,
  count(*) as incidents,
  list(num order by num)[:3] as examples
from explained
where reason is not null
group by reason
order by incidents desc, reason
