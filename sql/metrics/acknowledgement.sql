-- Number of acknowledged incidents, and the outcome of all others. Muted incidents are excluded.
-- question: How many incidents are acknowledged, and what happens to the others?
-- key: incident_severity, team_name
-- columns:
-- incident_severity: configured severity, or `(all)`
-- team_name: team that owns the channel, `(no channel)`, `(unknown)`, or `(all)`
-- incidents: incidents that were not muted
-- acknowledged: acknowledged incidents
-- self_healed: not acknowledged, and closed by the system after recovery
-- closed_by_hand: not acknowledged, and closed by a member
-- timed_out: not acknowledged, and closed by the system without recovery
-- still_open: not acknowledged, and still open
-- rate: acknowledged / incidents, 0 to 1
-- rate_low: lower limit of its 95% Wilson CI
-- rate_high: upper limit of its 95% Wilson CI
create or replace macro acknowledgement(
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
      count(*) filter (is_acknowledged) as acknowledged,
      count(*) filter (not is_acknowledged and close_type = 'auto_recovered') as self_healed,
      count(*) filter (not is_acknowledged and close_type = 'manual') as closed_by_hand,
      count(*) filter (not is_acknowledged and close_type = 'auto_timeout') as timed_out,
      count(*) filter (not is_acknowledged and is_open) as still_open
    from population
    where not is_muted
    group by cube (incident_severity, team_name)
    having count(*) > 0
  ),
  final as (
    select
      *,
      acknowledged / incidents as rate,
      wilson_interval(acknowledged, incidents).low as rate_low,
      wilson_interval(acknowledged, incidents).high as rate_high
    from counted
  )
select * from final
