-- The share of incidents that were acknowledged, and resolved, within the target of their severity; see
-- incident_targets. Pending ones are in no denominator. Each severity has a goal of its own, so `(all)` has none.
-- columns:
-- started_from: parameter: only incidents started then or later; null is all
-- started_to: parameter: only incidents started before; null is all
-- of_incidents: parameter: relation to speak of, with the columns of incident_times; a CTE will do
-- incident_severity: configured severity, or `(all)`
-- team_name: team that owns the channel, `(no channel)`, `(unknown)`, or `(all)`
-- measure: `acknowledge` or `resolve`
-- target_s: target of the severity, seconds; null in `(all)`
-- met: within the target
-- missed: later, or not done and older than the target
-- pending: not done, and younger than the target
-- share: met / (met + missed), 0 to 1; null without any
-- share_low: lower end of its 95 % Wilson interval
-- share_high: upper end of its 95 % Wilson interval
-- goal: share wanted of the severity, 0 to 1; null in `(all)` and where none is set
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
    select incident_severity, team_name, 'acknowledge' as measure, ack_outcome as outcome
    from targets
    union all
    select incident_severity, team_name, 'resolve', resolve_outcome
    from targets
  ),
  counted as (
    select
      case when grouping(incident_severity) = 1 then '(all)' else incident_severity end as incident_severity,
      case when grouping(team_name) = 1 then '(all)' else team_name end as team_name,
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
      counted.met / nullif(counted.met + counted.missed, 0) as share,
      wilson_interval(counted.met, counted.met + counted.missed) as interval_95,
      case counted.measure
        when 'acknowledge' then config_targets.ack_goal
        else config_targets.resolve_goal
      end as goal
    from counted
    left join config_targets on config_targets.severity = counted.incident_severity
  ),
  final as (
    select
      incident_severity,
      team_name,
      measure,
      target_s,
      met,
      missed,
      pending,
      share,
      interval_95.low as share_low,
      interval_95.high as share_high,
      goal,
      share >= goal as is_goal_met
    from shared
  )
select * from final
