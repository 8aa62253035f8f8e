-- Every incident against the target of its severity (table config_targets). `met`: done within the target. `missed`:
-- done later, or not done and older than the target at as_of; an incident that recovered unacknowledged is a miss too.
-- `pending`: not done and younger, so not in any denominator. Null: muted, no target, no usable time.
-- columns:
-- account_id: owning account
-- incident_id: key of the incident
-- incident_severity: configured severity
-- team_name: team that owns the channel, `(no channel)` or `(unknown)`
-- start_time: start
-- ack_target_s: target of time_to_ack_s, seconds; null is none
-- ack_outcome: `met`, `missed`, `pending`, or null
-- resolve_target_s: target of time_to_close_s, seconds; null is none
-- resolve_outcome: `met`, `missed`, `pending`, or null
create or replace macro incident_targets(of_incidents := 'incident_times') as table
with
  config_targets as (select * from config_targets),
  population as (select * from query_table(of_incidents)),
  aged as (
    select
      population.*,
      epoch(population.as_of_at) - epoch(population.start_time) as known_s,
      config_targets.ack_target_s,
      config_targets.resolve_target_s
    from population
    left join config_targets on config_targets.severity = population.incident_severity
  ),
  final as (
    select
      account_id,
      incident_id,
      incident_severity,
      team_name,
      start_time,
      ack_target_s,
      case
        when is_muted or is_negative_ack then null
        when time_to_ack_s <= ack_target_s then 'met'
        when time_to_ack_s > ack_target_s then 'missed'
        when known_s > ack_target_s then 'missed'
        when known_s <= ack_target_s then 'pending'
      end as ack_outcome,
      resolve_target_s,
      case
        when is_muted or is_negative_close then null
        when time_to_close_s <= resolve_target_s then 'met'
        when time_to_close_s > resolve_target_s then 'missed'
        when is_open and known_s > resolve_target_s then 'missed'
        when is_open and known_s <= resolve_target_s then 'pending'
      end as resolve_outcome
    from aged
  )
select * from final
