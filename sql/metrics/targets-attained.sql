-- Attainment as in target_attainment, for results of incident_targets, by series.
-- columns:
-- of_targets: parameter: name of a relation with the columns of no_targets
-- series: the series, as given
-- see target_attainment: incident_severity, team_name, measure, met, missed, pending, ended_early, target_s,
--   is_in_hours, is_default, goal, share, share_low, share_high, is_goal_met
create or replace macro targets_attained(of_targets := 'no_targets') as table
with
  given_targets as (select * from query_table(of_targets)),
  outcomes as (
    select
      series,
      ack_severity as incident_severity,
      team_name,
      'acknowledge' as measure,
      ack_outcome as outcome,
      ack_target_s as target_s,
      ack_goal as goal,
      is_ack_default as is_default,
      ack_hours is not null as is_in_hours,
      floor(epoch(start_time) / 604800) as week
    from given_targets
    union all
    select
      series,
      resolve_severity,
      team_name,
      'resolve',
      resolve_outcome,
      resolve_target_s,
      resolve_goal,
      is_resolve_default,
      resolve_hours is not null,
      floor(epoch(start_time) / 604800)
    from given_targets
  ),
  -- Counted first, because later steps then process few rows.
  placed as (
    select
      series,
      incident_severity,
      team_name,
      measure,
      week,
      count(*) filter (outcome = 'met') as met,
      count(*) filter (outcome = 'missed') as missed,
      count(*) filter (outcome = 'pending') as pending,
      count(*) filter (outcome = 'ended_early') as ended_early,
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
    group by series, incident_severity, team_name, measure, week
  ),
  weekly as (
    select
      series,
      or_all(incident_severity, grouping(incident_severity)) as incident_severity,
      or_all(team_name, grouping(team_name)) as team_name,
      measure,
      week,
      sum(met) as met,
      sum(missed) as missed,
      sum(pending) as pending,
      sum(ended_early) as ended_early,
      min(least_s) as least_s,
      max(most_s) as most_s,
      min(least) as least,
      max(most) as most,
      sum(goals) as goals,
      sum(aimless) as aimless,
      bool_and(is_default) as is_default,
      bool_or(is_in_hours) as is_in_hours
    from placed
    group by series, measure, week, cube (incident_severity, team_name)
  ),
  counted as (
    select
      series,
      incident_severity,
      team_name,
      measure,
      cast(sum(met) as bigint) as met,
      cast(sum(missed) as bigint) as missed,
      cast(sum(pending) as bigint) as pending,
      cast(sum(ended_early) as bigint) as ended_early,
      share_dispersion([list({'hits': met, 'n': met + missed} order by week)], of_change := false) as dispersion,
      bool_and(is_default) as is_default,
      bool_or(is_in_hours) as is_in_hours,
      min(least_s) = max(most_s) and incident_severity <> '(all)' as is_one_target,
      case when is_one_target then min(least_s) end as target_s,
      case
        when sum(aimless) > 0 then null
        when min(least) = max(most) then min(least)
        when incident_severity <> '(all)' then sum(goals) / sum(met + missed + pending + ended_early)
      end as goal
    from weekly
    group by series, incident_severity, team_name, measure
  ),
  shared as (
    select
      * exclude (dispersion, is_one_target),
      effective_n(met + missed, dispersion) as told,
      met / nullif(met + missed, 0) as share
    from counted
  ),
  -- Corrected by the exact test of the objective, for whole trials.
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
