-- The share of incidents that were acknowledged, and resolved, within the target of their severity; see
-- incident_targets. Pending ones are in no denominator. Each severity has a goal of its own, so `(all)` has none.
-- columns:
-- incident_severity: severity that was valid when it was acknowledged, or closed, or `(all)`
-- team_name: team that owns the channel, `(no channel)`, `(unknown)`, or `(all)`
-- measure: `acknowledge` or `resolve`
-- met: within the target
-- missed: later, or not done and older than the target
-- pending: not done, and younger than the target
-- target_s: target of the severity, seconds; null in `(all)`
-- goal: share wanted of the severity, 0 to 1; null in `(all)` and where none is set
-- share: met / (met + missed), 0 to 1; null without any
-- share_low: lower end of its 95 % Wilson interval
-- share_high: upper end of its 95 % Wilson interval
-- is_goal_met: share is at least the goal; null without either
create or replace macro target_attainment(
  started_from := null, started_to := null, of_incidents := 'incident_times'
) as table
with
  config_targets as (select * from config_targets),
  targets as (
    select *
    from incident_targets(of_incidents := of_incidents)
    where is_within(start_time, started_from, started_to)
  ),
  outcomes as (
    select ack_severity as incident_severity, team_name, 'acknowledge' as measure, ack_outcome as outcome
    from targets
    union all
    select resolve_severity, team_name, 'resolve', resolve_outcome
    from targets
  ),
  counted as (
    select
      or_all(incident_severity, grouping(incident_severity)) as incident_severity,
      or_all(team_name, grouping(team_name)) as team_name,
      measure,
      count(*) filter (outcome = 'met') as met,
      count(*) filter (outcome = 'missed') as missed,
      count(*) filter (outcome = 'pending') as pending
    from outcomes
    where outcome is not null
    group by measure, cube (incident_severity, team_name)
  ),
  shared as (
    select
      counted.*,
      case counted.measure
        when 'acknowledge' then config_targets.ack_target_s
        else config_targets.resolve_target_s
      end as target_s,
      case counted.measure
        when 'acknowledge' then config_targets.ack_goal
        else config_targets.resolve_goal
      end as goal,
      counted.met / nullif(counted.met + counted.missed, 0) as share,
      wilson_interval(counted.met, counted.met + counted.missed).low as share_low,
      wilson_interval(counted.met, counted.met + counted.missed).high as share_high
    from counted
    left join config_targets on config_targets.severity = counted.incident_severity
  ),
  final as (
    select *, share >= goal as is_goal_met from shared
  )
select * from final
