-- The share of incidents that were acknowledged, and resolved, within their targets; see
-- incident_targets. Pending ones are in no denominator. Each severity has a goal of its own, so `(all)` has one only
-- where it is the same for all; where teams have goals of their own, that of a severity is their mean.
-- question: Are the targets kept?
-- key: incident_severity, team_name, measure
-- columns:
-- incident_severity: severity that was valid when it was acknowledged, or closed, or `(all)`
-- team_name: team that owns the channel, `(no channel)`, `(unknown)`, or `(all)`
-- measure: `acknowledge` or `resolve`
-- met: within the target
-- missed: later, or not done and older than the target
-- pending: not done, and younger than the target
-- target_s: target, seconds; null in `(all)` and where it is not the same for all
-- is_in_hours: only working hours count, of some of them at least
-- is_default: nobody set the targets
-- goal: share wanted, 0 to 1, of a severity the mean of the incidents where it is not the same for all; null where one
--   has none, and in `(all)` where they are not the same: all together can keep a goal that one severity misses
-- share: met / (met + missed), 0 to 1; null without any
-- share_low: lower end of its 95 % interval, Wilson's of as many as weeks that differ leave (effective_n); not above
--   the goal unless the exact binomial test says so
-- share_high: upper end of its 95 % interval, not below the goal unless the exact test says so
-- is_goal_met: share is at least the goal; null without either
create or replace macro target_attainment(
  started_from := null, started_to := null, of_incidents := 'incident_times'
) as table
with
  targets as (
    select *
    from incident_targets(of_incidents := of_incidents)
    where is_within(start_time, started_from, started_to)
  ),
  outcomes as (
    select
      ack_severity as incident_severity,
      team_name,
      'acknowledge' as measure,
      ack_outcome as outcome,
      ack_target_s as target_s,
      ack_goal as goal,
      is_ack_default as is_default,
      ack_hours is not null as is_in_hours,
      floor(epoch(start_time) / 604800) as week
    from targets
    union all
    select
      resolve_severity,
      team_name,
      'resolve',
      resolve_outcome,
      resolve_target_s,
      resolve_goal,
      is_resolve_default,
      resolve_hours is not null,
      floor(epoch(start_time) / 604800)
    from targets
  ),
  weekly as (
    select
      or_all(incident_severity, grouping(incident_severity)) as incident_severity,
      or_all(team_name, grouping(team_name)) as team_name,
      measure,
      week,
      count(*) filter (outcome = 'met') as met,
      count(*) filter (outcome = 'missed') as missed,
      count(*) filter (outcome = 'pending') as pending,
      min(target_s) as least_s,
      max(target_s) as most_s,
      min(goal) as least,
      max(goal) as most,
      sum(goal) as goals,
      count(*) filter (goal is null) as aimless,
      bool_and(is_default) as is_default,
      bool_or(is_in_hours) as is_in_hours
    from outcomes
    where outcome is not null
    group by measure, week, cube (incident_severity, team_name)
  ),
  counted as (
    select
      incident_severity,
      team_name,
      measure,
      cast(sum(met) as bigint) as met,
      cast(sum(missed) as bigint) as missed,
      cast(sum(pending) as bigint) as pending,
      share_dispersion([list({'hits': met, 'n': met + missed} order by week)], of_change := false) as dispersion,
      bool_and(is_default) as is_default,
      bool_or(is_in_hours) as is_in_hours,
      min(least_s) = max(most_s) and incident_severity <> '(all)' as is_one_target,
      case when is_one_target then min(least_s) end as target_s,
      case
        when sum(aimless) > 0 then null
        when min(least) = max(most) then min(least)
        when incident_severity <> '(all)' then sum(goals) / sum(met + missed + pending)
      end as goal
    from weekly
    group by incident_severity, team_name, measure
  ),
  shared as (
    select
      * exclude (dispersion, is_one_target),
      effective_n(met + missed, dispersion) as told,
      met / nullif(met + missed, 0) as share
    from counted
  ),
  -- What the exact test of the goal leaves, of whole trials.
  tested as (
    select
      * exclude (told),
      wilson_interval(share * told, told) as ends,
      goal > 0 and goal < 1 as is_open_goal,
      is_open_goal and ceil(round(share * told, 9)) > binomial_below(floor(told), goal) as may_be_higher,
      is_open_goal and ceil(round((1 - share) * told, 9)) > binomial_below(floor(told), 1 - goal) as may_be_lower
    from shared
  ),
  final as (
    select
      * exclude (ends, is_open_goal, may_be_higher, may_be_lower),
      if(may_be_lower, least(ends.low, goal), ends.low) as share_low,
      if(may_be_higher, greatest(ends.high, goal), ends.high) as share_high,
      share >= goal as is_goal_met
    from tested
  )
select * from final
