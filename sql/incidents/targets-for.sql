-- What is asked of incidents of each severity in each place that a relation speaks of: the targets of
-- config_own_targets where a value of a dimension, or else the team, has some of its own, else those of config_targets.
-- columns:
-- team_name: team that owns the channel, `(no channel)` or `(unknown)`
-- dimensions: values of the dimensions, see own_incidents; compare with `is not distinct from`
-- severity: severity that the incident had at the moment
-- ack_target_s: target of time_to_ack_s, seconds; null is none
-- resolve_target_s: target of time_to_close_s, seconds; null is none
-- ack_goal: share that is to be acknowledged in time, 0 to 1; null is none
-- resolve_goal: share that is to be resolved in time, 0 to 1; null is none
-- working_hours: working hours that alone count, by their name; null is all hours
-- is_default: all of these are what holds where nobody sets any
create or replace macro targets_for(of_incidents := 'incident_times') as table
with
  config_targets as (select * from config_targets),
  config_own_targets as (select * from config_own_targets),
  places as (select distinct team_name, dimensions from query_table(of_incidents)),
  told as (
    select team_name, dimensions, config_targets.*, 0 as rank
    from places
    cross join config_targets
    union all by name
    select team_name, dimensions, config_own_targets.* exclude (scope, value), false as is_default
    from places
    join config_own_targets on value = if(scope = 'team', team_name, dimensions[scope])
  ),
  final as (
    select * exclude (rank)
    from told
    qualify row_number() over (partition by team_name, dimensions, severity order by rank desc) = 1
  )
select * from final
