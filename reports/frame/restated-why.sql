-- Changes of incidents that may have changed a figure of the period since a report was made at $ran_at with data as of
-- $as_of. It compares the current content of each incident with the content that had been read by then. Replaced
-- contents are in incident_versions, each with the run that read it. One row per reason and type of change, so an
-- incident can have several.
-- reason: text. facts: what it changed in incidents included both times: `tta`, `ttr`, `acknowledged`, `ack_target`,
--   `resolve_target`, `open`, `severity`, `muted`, `team`, `band`, `healed`, `alerts`, `pages` (times of assignments)
-- severity_before, severity: previous and current severity, or null if it was or is not included
-- incidents: number. examples: `num` of up to three of them
with
  -- The run of the report is identified by the time of the service, independent of clocks. For other accounts, it is
  -- the last run that had finished by then.
  runs as (
    select
      account_id,
      coalesce(
        max(run_id) filter (as_of_at = $as_of),
        max(run_id) filter (finished_at <= $ran_at),
        0
      ) as last_run_id
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
  -- Owners of channels that were not known at that time.
  moved as (
    select channel_owners.*
    from channel_owners
    join runs using (account_id)
    where since_at is not null and run_id > last_run_id
  ),
  changed as (
    select account_id, incident_id
    from contents
    join runs using (account_id)
    where _run_id > last_run_id or vanished_at is not null
    union
    select account_id, incident_id
    from incidents
    join moved using (account_id, channel_id)
    where start_time >= since_at
  ),
  known as (
    select contents.*
    from contents
    semi join changed using (account_id, incident_id)
    join runs using (account_id)
    where _run_id <= last_run_id
    qualify row_number() over (
      partition by account_id, incident_id order by _run_id desc, _replaced_at desc nulls first
    ) = 1
  ),
  both_times as (
    select known.*, false as is_now from known
    union all by name
    select incidents.*, true as is_now from incidents semi join changed using (account_id, incident_id)
  ),
  owned as (
    select
      both_times.*,
      if(channel_id = 0, '(no channel)', coalesce(channel_owners.team_name, '(unknown)')) as team,
      case when $cohort = 'started' then start_time when progress = 'Closed' then close_time end as counted_at,
      is_merged_away(progress, creator_id, alert_cnt) as is_merged,
      -- Incidents that went missing later still existed then.
      if(is_now, vanished_at is not null, coalesce(vanished_at < later.began_at, vanished_at is not null)) as is_gone
    from both_times
    left join later using (account_id)
    left join runs using (account_id)
    left join channel_owners using (account_id, channel_id)
    where coalesce(start_time >= since_at, since_at is null)
      and (is_now or since_at is null or run_id <= last_run_id)
    qualify row_number() over (
      partition by account_id, incident_id, is_now order by since_at desc nulls last
    ) = 1
  ),
  -- Like incident_targets. Later changes of severity do not change the targets.
  rated as (
    select
      owned.*,
      if(progress = 'Closed', close_time, null) as closed_at,
      if(ack_time is not null, ack_time, closed_at) as answered_at,
      target_clock(severity_at(severities, answered_at), start_time, incident_severity) as ack_clock,
      target_clock(severity_at(severities, closed_at), start_time, incident_severity) as resolve_clock
    from owned
    left join (select account_id, incident_id, severities from incident_changes) using (account_id, incident_id)
  ),
  -- Incidents that the configuration excludes are excluded at both times.
  excluded as (
    select account_id, incident_id, true as is_excluded from own_incidents where excluded_as is not null
  ),
  -- Previous values of dimensions are unknown.
  placed as (select team as team_name, null::map(varchar, varchar) as dimensions from owned),
  targets as (from targets_for(of_incidents := 'placed')),
  told as (
    select
      account_id,
      incident_id,
      is_now,
      coalesce(nullif(num, ''), incident_id) as num,
      coalesce(counted_at >= $period_start::timestamptz and counted_at < $period_end::timestamptz, false) as is_in,
      deleted_at is not null as is_deleted,
      is_gone,
      is_merged,
      incident_severity as severity,
      coalesce(ever_muted, false) as muted,
      team,
      channel_id,
      is_in and not is_deleted and not is_gone and not is_merged and is_excluded is null
        and ($teams::varchar[] is null or list_contains($teams::varchar[], team))
        and ($severities::varchar[] is null or list_contains($severities::varchar[], incident_severity)) as is_counted,
      progress is distinct from 'Closed' as open,
      start_time,
      ack_time,
      close_time,
      hour_band(timezone($timezone, start_time)) as band,
      ack_time is not null as acknowledged,
      if(muted, null, epoch(ack_time) - epoch(start_time)) as tta,
      if(open, null, epoch(close_time) - epoch(start_time)) as ttr,
      case
        when muted then null
        when tta is not null
          then if(tta - coalesce(ack_clock['raised_s'], 0) <= ack_targets.ack_target_s, 'met', 'missed')
        when epoch(least(if(open, null, close_time), end_time)) - epoch(start_time) - coalesce(ack_clock['raised_s'], 0)
            <= ack_targets.ack_target_s
          then 'ended_early'
        when open then 'pending'
        else 'missed'
      end as ack_target,
      case
        when muted then null
        when open then 'pending'
        else if(ttr - coalesce(resolve_clock['raised_s'], 0) <= resolve_targets.resolve_target_s, 'met', 'missed')
      end as resolve_target,
      not open and closer_id = 0 and end_time is not null and not acknowledged as healed,
      {'alerts': alert_cnt, 'events': alert_event_cnt} as alerts,
      assigned_to::varchar as assigned
    from rated
    left join excluded using (account_id, incident_id)
    left join targets as ack_targets on ack_targets.team_name = team and ack_targets.severity = ack_clock['severity']
    left join targets as resolve_targets
      on resolve_targets.team_name = team and resolve_targets.severity = resolve_clock['severity']
  ),
  compared as (
    select
      now,
      past,
      past.incident_id is not null as was_known,
      coalesce(past.is_counted, false) as was_counted,
      case
        when past.channel_id is distinct from now.channel_id then 'moved to another channel'
        else 'in a channel that moved to another team'
      end as other_team,
      list_filter([
        if(past.tta is distinct from now.tta, 'tta', null),
        if(past.ttr is distinct from now.ttr, 'ttr', null),
        if(past.acknowledged <> now.acknowledged, 'acknowledged', null),
        if(past.ack_target is distinct from now.ack_target, 'ack_target', null),
        if(past.resolve_target is distinct from now.resolve_target, 'resolve_target', null),
        if(past.open <> now.open, 'open', null),
        if(past.severity is distinct from now.severity, 'severity', null),
        if(past.muted <> now.muted, 'muted', null),
        if(past.team is distinct from now.team, 'team', null),
        if(past.band is distinct from now.band, 'band', null),
        if(past.healed <> now.healed, 'healed', null),
        if(past.alerts is distinct from now.alerts, 'alerts', null),
        if(
          past.start_time is distinct from now.start_time
            or past.assigned is distinct from now.assigned
            or past.muted <> now.muted,
          'pages',
          null
        )
      ], lambda fact: fact is not null) as facts
    from (from told where is_now) as now
    left join (from told where not is_now) as past using (account_id, incident_id)
  ),
  -- An incident that was included at only one of the times has one reason. An incident that was included at both times
  -- has a reason for each change, with the facts that the change can affect.
  reasons as (
    select
      *,
      case
        when was_counted and now.is_counted then list_filter([
          if(past.start_time is distinct from now.start_time, {
            'reason': 'with a different start time',
            'of': ['tta', 'ttr', 'ack_target', 'resolve_target', 'band', 'pages']
          }, null),
          if('severity' in facts, {
            'reason': 'with a different severity',
            'of': ['severity', 'ack_target', 'resolve_target']
          }, null),
          if(past.open and not now.open, {
            'reason': 'closed since',
            'of': ['open', 'ttr', 'ack_target', 'resolve_target', 'healed']
          }, null),
          if(now.open and not past.open, {
            'reason': 'reopened',
            'of': ['open', 'ttr', 'ack_target', 'resolve_target', 'healed']
          }, null),
          if(past.open = now.open and past.close_time is distinct from now.close_time, {
            'reason': 'with a different close time',
            'of': ['ttr', 'resolve_target']
          }, null),
          if(past.ack_time is distinct from now.ack_time, {
            'reason': 'with a different acknowledgement',
            'of': ['tta', 'acknowledged', 'ack_target', 'healed']
          }, null),
          if('muted' in facts, {
            'reason': 'muted or unmuted',
            'of': ['muted', 'tta', 'ack_target', 'resolve_target', 'pages']
          }, null),
          if('team' in facts, {'reason': other_team, 'of': ['team']}, null),
          if('alerts' in facts, {'reason': 'with different alerts', 'of': ['alerts']}, null),
          if(past.assigned is distinct from now.assigned, {
            'reason': 'with different assignees',
            'of': ['pages']
          }, null)
        ], lambda one: one is not null)
        when was_counted or now.is_counted then [{
          'reason': case
            when not was_known then 'new'
            when now.is_deleted and not past.is_deleted then 'deleted'
            when past.is_deleted and not now.is_deleted then 'restored'
            when now.is_gone then 'removed from the service'
            when past.is_gone then 'in the service again'
            when now.is_merged then 'merged into another incident'
            when past.is_merged then 'no longer merged'
            when past.is_in and not now.is_in then 'moved out of the period'
            when now.is_in and not past.is_in then 'moved into the period'
            when past.team is distinct from now.team then other_team
            else 'with a different severity'
          end,
          'of': facts
        }]
      end as reasons
    from compared
  ),
  separate as (
    select *, unnest(reasons) as why from reasons
  ),
  explained as (
    select
      now.num as num,
      why['reason'] as reason,
      list_sort(list_intersect(facts, why['of'])) as facts,
      if(was_counted, past.severity, null) as severity_before,
      if(now.is_counted, now.severity, null) as severity
    from separate
  )
select
  reason,
  facts,
  severity_before,
  severity,
  count(*) as incidents,
  list(num order by num)[:3] as examples
from explained
where len(facts) > 0 or (severity_before is null) <> (severity is null)
group by all
order by incidents desc, reason, severity_before nulls first, severity nulls first, facts
