-- The share of incidents that were acknowledged, and resolved, within their targets; see
-- incident_targets. Pending ones, and those that ended before they were due, are in no denominator. Each severity has
-- a goal of its own, so `(all)` has one only where it is the same for all; where teams have goals of their own, that of
-- a severity is their mean.
-- question: Are the targets kept?
-- key: incident_severity, team_name, measure
-- columns:
-- incident_severity: severity that was valid when it was acknowledged, or closed, or `(all)`
-- team_name: team that owns the channel, `(no channel)`, `(unknown)`, or `(all)`
-- measure: `acknowledge` or `resolve`
-- met: within the target
-- missed: later, or not done and older than the target
-- pending: not done, and younger than the target
-- ended_early: never acknowledged, and ended before the acknowledgement was due; of `resolve`: closed by a timer before
--   it was due
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
  held_targets as (
    select *, '' as series
    from incident_targets(of_incidents := of_incidents)
    where is_within(start_time, started_from, started_to)
  ),
  final as (select * exclude (series) from targets_attained(of_targets := 'held_targets'))
select * from final
