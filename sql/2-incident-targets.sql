-- Every incident against the target of its severity (table config_targets). `met`: done within the target. `missed`:
-- done later, or not done and older than the target at as_of; an incident that recovered unacknowledged is a miss too.
-- `pending`: not done and younger, so not in any denominator. Null: muted, no target, no usable time. The clock starts at
-- start_time; where the severity was seen to be raised to what it is (see incident_changes), at that moment.
-- columns:
-- account_id: owning account
-- incident_id: key of the incident
-- incident_severity: configured severity
-- team_name: team that owns the channel, `(no channel)` or `(unknown)`
-- start_time: start
-- raised_s: from start_time until its severity was raised to what it is, seconds; null where that was not seen
-- ack_target_s: target of time_to_ack_s, seconds; null is none
-- ack_outcome: `met`, `missed`, `pending`, or null
-- ack_late_s: of a missed one, seconds from the target to the acknowledgement, or to as_of while it is open; null where it was closed without
-- resolve_target_s: target of time_to_close_s, seconds; null is none
-- resolve_outcome: `met`, `missed`, `pending`, or null
-- resolve_late_s: of a missed one, seconds from the target to the close, or to as_of while it is open
create or replace macro incident_targets(of_incidents := 'incident_times') as table
with
  config_targets as (select * from config_targets),
  incident_changes as (select * from incident_changes),
  population as (select * from query_table(of_incidents)),
  aged as (
    select
      population.*,
      case
        when severity_raised_at > population.start_time then epoch(severity_raised_at) - epoch(population.start_time)
      end as raised_s,
      coalesce(raised_s, 0) as clock_s,
      epoch(population.as_of_at) - epoch(population.start_time) - clock_s as known_s,
      population.time_to_ack_s - clock_s as ack_s,
      population.time_to_close_s - clock_s as close_s,
      config_targets.ack_target_s,
      config_targets.resolve_target_s
    from population
    left join incident_changes using (account_id, incident_id)
    left join config_targets on config_targets.severity = population.incident_severity
  ),
  final as (
    select
      account_id,
      incident_id,
      incident_severity,
      team_name,
      start_time,
      raised_s,
      ack_target_s,
      case
        when is_muted or is_negative_ack then null
        when ack_s <= ack_target_s then 'met'
        when ack_s > ack_target_s then 'missed'
        when known_s > ack_target_s then 'missed'
        when known_s <= ack_target_s then 'pending'
      end as ack_outcome,
      case
        when ack_outcome = 'missed' then coalesce(ack_s, case when is_open then known_s end) - ack_target_s
      end as ack_late_s,
      resolve_target_s,
      case
        when is_muted or is_negative_close then null
        when close_s <= resolve_target_s then 'met'
        when close_s > resolve_target_s then 'missed'
        when is_open and known_s > resolve_target_s then 'missed'
        when is_open and known_s <= resolve_target_s then 'pending'
      end as resolve_outcome,
      case when resolve_outcome = 'missed' then coalesce(close_s, known_s) - resolve_target_s end as resolve_late_s
    from aged
  )
select * from final
