-- Not one incident, in the shape that targets_attained reads: a relation with these columns, of incident_targets, is
-- what it has to be given.
-- columns:
-- team_name: see incident_targets
-- start_time: start
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
      '' as team_name,
      cast(null as timestamptz) as start_time,
      '' as ack_severity,
      '' as ack_outcome,
      0::double as ack_target_s,
      0::double as ack_goal,
      true as is_ack_default,
      '' as ack_hours,
      '' as resolve_severity,
      '' as resolve_outcome,
      0::double as resolve_target_s,
      0::double as resolve_goal,
      true as is_resolve_default,
      '' as resolve_hours
    limit 0
  )
select * from final
