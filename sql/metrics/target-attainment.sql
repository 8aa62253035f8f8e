-- The share of incidents that were acknowledged, and resolved, within their targets; see incident_targets and
-- targets_attained.
-- columns:
-- incident_severity: see targets_attained
-- team_name: see targets_attained
-- measure: see targets_attained
-- met: see targets_attained
-- missed: see targets_attained
-- pending: see targets_attained
-- target_s: see targets_attained
-- is_in_hours: see targets_attained
-- is_default: see targets_attained
-- goal: see targets_attained
-- share: see targets_attained
-- share_low: see targets_attained
-- share_high: see targets_attained
-- is_goal_met: see targets_attained
create or replace macro target_attainment(
  started_from := null, started_to := null, of_incidents := 'incident_times'
) as table
with
  held_targets as (
    select *
    from incident_targets(of_incidents := of_incidents)
    where is_within(start_time, started_from, started_to)
  ),
  final as (select * from targets_attained(of_targets := 'held_targets'))
select * from final
