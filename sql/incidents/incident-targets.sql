-- Result of every incident against its targets, see targets_for. The target to acknowledge is that of the severity at
-- the acknowledgement, and the target to resolve that of the severity at the close. Later changes of severity do not
-- change the targets. An incident without an acknowledgement uses the severity at its close, or the current severity
-- while open. A result is `met` if the incident was acknowledged or resolved in time, and `missed` if that was late, or
-- is overdue at as_of. It is `pending` if the incident is neither acknowledged (or resolved) nor overdue. It is
-- `ended_early` if the incident closed or recovered without an acknowledgement before one was due, or if a timer closed
-- it before the resolve target. Denominators exclude `pending` and `ended_early`. The result is null if the incident is
-- muted or lacks a target or a valid time. In accounts of never_acknowledging, the result for acknowledgement is null
-- too. The clock starts at start_time, or when the severity was seen to be raised (see incident_changes). Columns
-- `series`, `period` and `judged` are passed on.
-- rule: Target: set by the severity of an incident when it was acknowledged or closed. If a sync saw that the severity
--   was raised before that, the clock starts at the change, otherwise at the start of the incident. Later changes of
--   severity do not change the target. An open incident is missed once it is older than its target. An incident that
--   ended (was closed or recovered) before its acknowledgement was due, without being acknowledged, is neither met nor
--   missed. Neither is an incident that a timer closed before its resolve target.
-- rule when ack is first_action: Within target: any acknowledgement counts, including one by automation. The policy
--   first_action applies to times only.
-- rule when ack is close_counts: Within target: only acknowledgements count. The policy close_counts applies to times
--   only.
-- columns:
-- see incident_changes: account_id, incident_id
-- incident_severity: configured severity, current value
-- see targets_for: team_name, ack_target_s, ack_goal, resolve_target_s, resolve_goal
-- start_time: start
-- ack_severity: severity that sets the acknowledgement target
-- ack_raised_s: seconds from start_time until the severity was raised to ack_severity, or null if no raise was seen
-- ack_due_s: ack_target_s on the clock in seconds. It is longer if only working hours count
-- ack_hours: name of the working hours that count, or null for all hours
-- ack_outcome: `met`, `missed`, `pending`, `ended_early`, or null
-- ack_late_s: for a missed target, seconds from the target to the acknowledgement, or to as_of while open. Null if it
--   was closed without an acknowledgement
-- resolve_severity: severity that sets the resolve target
-- resolve_raised_s: seconds from start_time until the severity was raised to resolve_severity, or null if no raise was
--   seen
-- resolve_due_s: resolve_target_s on the clock in seconds. It is longer if only working hours count
-- resolve_hours: name of the working hours that count, or null for all hours
-- resolve_outcome: `met`, `missed`, `pending`, `ended_early`, or null
-- resolve_late_s: for a missed target, seconds from the target to the close, or to as_of while open
create or replace macro incident_targets(of_incidents := 'incident_times') as table
with
  targets as materialized (select * from targets_for(of_incidents := of_incidents)),
  incident_changes as (select * from incident_changes),
  never_acknowledging as (select * from never_acknowledging),
  population as not materialized (select * from query_table(of_incidents)),
  rated as not materialized (
    select
      population.*,
      never_acknowledging.account_id is null as is_ack_used,
      severity_at(severities, case when is_acknowledged then ack_time else closed_at end) as rated_at_ack,
      severity_at(severities, closed_at) as rated_at_close
    from population
    left join incident_changes using (account_id, incident_id)
    left join never_acknowledging on never_acknowledging.account_id = population.account_id
  ),
  clocked as not materialized (
    select
      *,
      target_clock(rated_at_ack, start_time, incident_severity) as ack_clock,
      target_clock(rated_at_close, start_time, incident_severity) as resolve_clock,
      ack_clock['severity'] as ack_severity,
      ack_clock['raised_s'] as ack_raised_s,
      resolve_clock['severity'] as resolve_severity,
      resolve_clock['raised_s'] as resolve_raised_s
    from rated
  ),
  -- Working hours move the due time. This is a separate CTE, so that it reads nothing if no hours are configured, and
  -- unused columns of the other CTEs can be dropped.
  clocks as (
    select
      account_id,
      incident_id,
      measure,
      start_time + to_microseconds(cast(1000000 * coalesce(raised_s, 0) as bigint)) as from_at,
      if(measure = 'ack', ack_target_s, resolve_target_s) as target_s,
      if(measure = 'ack', ack_hours, resolve_hours) as hours,
      working_zone(hours, placed.team_name) as timezone
    from (
      select account_id, incident_id, team_name, dimensions, start_time, unnest([
        {'measure': 'ack', 'severity': ack_severity, 'raised_s': ack_raised_s},
        {'measure': 'resolve', 'severity': resolve_severity, 'raised_s': resolve_raised_s}
      ], recursive := true)
      from clocked
    ) as placed
    join targets
      on targets.team_name = placed.team_name
      and targets.dimensions is not distinct from placed.dimensions
      and targets.severity = placed.severity
    where hours is not null
  ),
  due as (
    select
      account_id,
      incident_id,
      max(due_s) filter (measure = 'ack') as ack_due_s,
      max(due_s) filter (measure = 'resolve') as resolve_due_s
    from working_due(of_clocks := 'clocks')
    group by account_id, incident_id
  ),
  timed as (
    select
      clocked.*,
      time_to_ack_s - coalesce(ack_raised_s, 0) as ack_s,
      time_to_close_s - coalesce(resolve_raised_s, 0) as close_s,
      epoch(as_of_at) - epoch(start_time) - coalesce(ack_raised_s, 0) as unacknowledged_s,
      -- Null while the incident is open, and if it was closed without a valid time.
      least(time_to_close_s, time_to_recover_s) - coalesce(ack_raised_s, 0) as ended_s,
      epoch(as_of_at) - epoch(start_time) - coalesce(resolve_raised_s, 0) as unresolved_s,
      for_ack.ack_target_s,
      coalesce(due.ack_due_s, for_ack.ack_target_s) as ack_due_s,
      for_ack.ack_goal,
      for_ack.ack_hours,
      for_resolve.resolve_target_s,
      coalesce(due.resolve_due_s, for_resolve.resolve_target_s) as resolve_due_s,
      for_resolve.resolve_goal,
      for_resolve.resolve_hours
    from clocked
    left join targets as for_ack
      on for_ack.team_name = clocked.team_name
      and for_ack.dimensions is not distinct from clocked.dimensions
      and for_ack.severity = ack_severity
    left join targets as for_resolve
      on for_resolve.team_name = clocked.team_name
      and for_resolve.dimensions is not distinct from clocked.dimensions
      and for_resolve.severity = resolve_severity
    left join due using (account_id, incident_id)
  ),
  final as (
    select
      account_id,
      incident_id,
      incident_severity,
      team_name,
      -- Not `*`, because DuckDB then computes every column of a relation with its own CTE, such as `due`.
      columns(lambda name: name in ('start_time', 'series', 'period', 'judged')),
      ack_severity,
      ack_raised_s,
      ack_target_s,
      ack_due_s,
      ack_hours,
      ack_goal,
      case
        when is_muted or is_negative_ack or not is_ack_used then null
        when ack_s <= ack_due_s then 'met'
        when ack_s > ack_due_s then 'missed'
        when ended_s <= ack_due_s then 'ended_early'
        when ended_s is null and not is_open then null
        when unacknowledged_s > ack_due_s then 'missed'
        when unacknowledged_s <= ack_due_s then 'pending'
      end as ack_outcome,
      case
        when ack_outcome = 'missed' then coalesce(ack_s, case when is_open then unacknowledged_s end) - ack_due_s
      end as ack_late_s,
      resolve_severity,
      resolve_raised_s,
      resolve_target_s,
      resolve_due_s,
      resolve_hours,
      resolve_goal,
      case
        when is_muted or is_negative_close then null
        when close_s <= resolve_due_s and close_type = 'auto_timeout' then 'ended_early'
        when close_s <= resolve_due_s then 'met'
        when close_s > resolve_due_s then 'missed'
        when is_open and unresolved_s > resolve_due_s then 'missed'
        when is_open and unresolved_s <= resolve_due_s then 'pending'
      end as resolve_outcome,
      case when resolve_outcome = 'missed' then coalesce(close_s, unresolved_s) - resolve_due_s end as resolve_late_s
    from timed
  )
select * from final
