-- Incidents that recovered and were closed by the system without an acknowledgement, and those closed in less than
-- {quick_close_s} (threshold quick_close_s). Muted incidents are included.
-- question: How many incidents resolve themselves?
-- key: incident_severity, team_name
-- columns:
-- see acknowledgement: incident_severity, team_name
-- incidents: all incidents
-- self_healed: self-healed incidents
-- quick_closes: incidents closed in less than {quick_close_s}
-- self_heal_rate: self_healed / incidents, 0 to 1
-- self_heal_low: lower limit of its 95% Wilson CI
-- self_heal_high: upper limit of its 95% Wilson CI
-- quick_close_share: quick_closes / incidents, 0 to 1
create or replace macro self_heal(
  started_from := null, started_to := null, of_incidents := 'incident_times'
) as table
with
  population as (
    from incidents_in(of_incidents := of_incidents, started_from := started_from, started_to := started_to)
  ),
  counted as (
    select
      or_all(incident_severity, grouping(incident_severity)) as incident_severity,
      or_all(team_name, grouping(team_name)) as team_name,
      count(*) as incidents,
      count(*) filter (is_self_healed) as self_healed,
      count(*) filter (time_to_close_s < threshold('quick_close_s', 300)) as quick_closes
    from population
    group by cube (incident_severity, team_name)
    having count(*) > 0
  ),
  final as (
    select
      *,
      self_healed / incidents as self_heal_rate,
      wilson_interval(self_healed, incidents).low as self_heal_low,
      wilson_interval(self_healed, incidents).high as self_heal_high,
      quick_closes / incidents as quick_close_share
    from counted
  )
select * from final
