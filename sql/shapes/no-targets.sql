-- Empty relation with the columns that targets_attained expects, from incident_targets.
-- columns:
-- series: series of the incidents, of any type
-- see incident_targets: team_name, start_time, ack_severity, ack_outcome, ack_target_s, ack_goal,
--   ack_hours, resolve_severity, resolve_outcome, resolve_target_s, resolve_goal, resolve_hours
create or replace macro no_targets() as table
with
  final as (
    select
      '' as series, team_name, start_time, ack_severity, ack_outcome, ack_target_s, ack_goal, ack_hours,
      resolve_severity, resolve_outcome, resolve_target_s, resolve_goal, resolve_hours
    from incident_targets()
    limit 0
  )
select * from final
