-- Attainment as in target_attainment, for results of incident_targets, by series.
-- rule: Objective: met if the exact 95% CI of the share (Clopper-Pearson) is above the objective, missed if the CI is
--   below it, otherwise inconclusive. The result concerns the incidents of this period, not the long run.
-- columns:
-- of_targets: parameter: name of a relation with the columns of no_targets
-- series: the series, as given
-- see target_attainment: incident_severity, team_name, measure, met, missed, pending, ended_early, target_s,
--   is_in_hours, goal, share, share_low, share_high, is_goal_met
create or replace macro targets_attained(of_targets := 'no_targets') as table
with
  no_targets as (select * from no_targets()),
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
      ack_hours is not null as is_in_hours
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
      resolve_hours is not null
    from given_targets
  ),
  counted as (
    select
      series,
      or_all(incident_severity, grouping(incident_severity)) as incident_severity,
      or_all(team_name, grouping(team_name)) as team_name,
      measure,
      count(*) filter (outcome = 'met') as met,
      count(*) filter (outcome = 'missed') as missed,
      count(*) filter (outcome = 'pending') as pending,
      count(*) filter (outcome = 'ended_early') as ended_early,
      bool_or(is_in_hours) as is_in_hours,
      case
        when grouping(incident_severity) = 0 and min(target_s) = max(target_s) and count(*) = count(target_s)
          then min(target_s)
      end as target_s,
      case
        when count(*) > count(goal) then null
        when min(goal) = max(goal) then min(goal)
        when grouping(incident_severity) = 0 then avg(goal)
      end as goal
    from outcomes
    where outcome is not null
    group by series, measure, cube (incident_severity, team_name)
  ),
  final as (
    select
      * exclude (ends),
      met / nullif(met + missed, 0) as share,
      ends.low as share_low,
      ends.high as share_high,
      share >= goal as is_goal_met
    from (select *, exact_interval(met, met + missed) as ends from counted)
  )
select * from final
