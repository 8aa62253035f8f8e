-- Targets for each combination of team and dimensions in a relation, one row per severity. config_own_targets has
-- targets of teams and dimension values, which replace those of config_targets. If several apply, the shortest is used.
-- Of equally short targets, the one that counts all hours is used. A target with `overrides` has priority over all
-- others.
-- columns:
-- team_name: team, `(no channel)` or `(unknown)`
-- dimensions: values of the dimensions, see own_incidents. Compare them with `is not distinct from`
-- severity: severity of the incident at the acknowledgement or close
-- ack_target_s: target for time_to_ack_s in seconds, or null if none
-- resolve_target_s: target for time_to_close_s in seconds, or null if none
-- ack_goal: objective, the share to acknowledge within the target, 0 to 1, or null if none
-- resolve_goal: objective, the share to resolve within the target, 0 to 1, or null if none
-- ack_hours: name of the working hours that count for ack_target_s, or null for all hours
-- resolve_hours: name of the working hours that count for resolve_target_s, or null for all hours
create or replace macro targets_for(of_incidents := 'incident_times') as table
with
  config_targets as (select * from config_targets),
  config_own_targets as (select * from config_own_targets),
  places as (select distinct team_name, dimensions from query_table(of_incidents)),
  own as (
    select team_name, dimensions, severity, measure, target_s, goal, hours
    from places
    join config_own_targets on value = if(scope = 'team', team_name, dimensions[scope])
    qualify row_number() over (
      partition by team_name, dimensions, severity, measure
      order by overrides desc, if(overrides, -rank, null), target_s nulls last, hours nulls first, rank desc
    ) = 1
  ),
  asked as (
    select team_name, dimensions, severity from places cross join config_targets
    union
    select team_name, dimensions, severity from own
  ),
  final as (
    select
      asked.*,
      if(own_ack.measure is null, config_targets.ack_target_s, own_ack.target_s) as ack_target_s,
      if(own_resolve.measure is null, config_targets.resolve_target_s, own_resolve.target_s) as resolve_target_s,
      if(own_ack.measure is null, config_targets.ack_goal, own_ack.goal) as ack_goal,
      if(own_resolve.measure is null, config_targets.resolve_goal, own_resolve.goal) as resolve_goal,
      if(own_ack.measure is null, config_targets.ack_hours, own_ack.hours) as ack_hours,
      if(own_resolve.measure is null, config_targets.resolve_hours, own_resolve.hours) as resolve_hours
    from asked
    left join config_targets using (severity)
    left join own as own_ack
      on own_ack.team_name = asked.team_name
      and own_ack.dimensions is not distinct from asked.dimensions
      and own_ack.severity = asked.severity
      and own_ack.measure = 'ack'
    left join own as own_resolve
      on own_resolve.team_name = asked.team_name
      and own_resolve.dimensions is not distinct from asked.dimensions
      and own_resolve.severity = asked.severity
      and own_resolve.measure = 'resolve'
  )
select * from final
