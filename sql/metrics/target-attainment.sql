-- Share of incidents acknowledged, and resolved, within their targets, see incident_targets. Pending incidents and
-- incidents that ended before they were due are excluded from the denominator. Each severity has its own objective, so
-- `(all)` has an objective only if it is the same for all severities. If teams have their own objectives, the objective
-- of a severity is their mean.
-- question: Are the targets met?
-- key: incident_severity, team_name, measure
-- columns:
-- incident_severity: severity at the acknowledgement or close, or `(all)`
-- team_name: team that owns the channel, `(no channel)`, `(unknown)`, or `(all)`
-- measure: `acknowledge` or `resolve`
-- met: within the target
-- missed: done later, or not done and past the target
-- pending: not done, and within the target
-- ended_early: ended without an acknowledgement before one was due. For `resolve`, closed by a timer before it was due
-- target_s: target in seconds, or null in `(all)` and if it differs between incidents
-- is_in_hours: only working hours count, for at least some of the incidents
-- goal: objective, the share to reach, 0 to 1. For a severity it is the mean over its incidents. Null if an incident
--   has no objective, and in `(all)` if they differ, because the total can reach an objective that one severity misses
-- share: met / (met + missed), 0 to 1, or null if both are 0
-- share_low: lower limit of its exact 95% CI, see exact_interval. The objective is met if it is above the objective
-- share_high: upper limit of its exact 95% CI. The objective is missed if it is below the objective
-- is_goal_met: share is at least the objective, or null if either is missing
create or replace macro target_attainment(
  started_from := null, started_to := null, of_incidents := 'incident_times'
) as table
with
  held_targets as (
    select *, '' as series
    from incident_targets(of_incidents := of_incidents)
    where is_within(start_time, started_from, started_to)
  ),
  final as (select * exclude (series) from targets_attained(of_targets := 'held_targets'))
select * from final
