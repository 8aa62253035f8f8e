-- Not one incident, in the shape that targets_attained reads: a relation with these columns, of incident_targets, is
-- what it has to be given.
-- columns:
-- series: which incidents a share is of, of any type
-- team_name: see incident_targets
-- start_time: see incident_targets
-- ack_severity: see incident_targets
-- ack_outcome: see incident_targets
-- ack_target_s: see incident_targets
-- ack_goal: see incident_targets
-- is_ack_default: see incident_targets
-- ack_hours: see incident_targets
-- resolve_severity: see incident_targets
-- resolve_outcome: see incident_targets
-- resolve_target_s: see incident_targets
-- resolve_goal: see incident_targets
-- is_resolve_default: see incident_targets
-- resolve_hours: see incident_targets
with
  final as (
    select
      '' as series, team_name, start_time, ack_severity, ack_outcome, ack_target_s, ack_goal, is_ack_default, ack_hours,
      resolve_severity, resolve_outcome, resolve_target_s, resolve_goal, is_resolve_default, resolve_hours
    from incident_targets()
    limit 0
  )
select * from final
