-- How much was acknowledged, and what became of the rest, over incidents that were not muted.
-- columns:
-- started_from: parameter: only incidents started then or later; null is all
-- started_to: parameter: only incidents started before; null is all
-- of_incidents: parameter: relation to speak of, with the columns of incident_times; a CTE will do
-- incident_severity: configured severity, or `(all)`
-- team_name: team that owns the channel, `(no channel)`, `(unknown)`, or `(all)`
-- incidents: incidents that were not muted
-- acknowledged: of them, acknowledged
-- rate: acknowledged / incidents, 0 to 1
-- rate_low: lower end of its 95 % Wilson interval
-- rate_high: upper end of its 95 % Wilson interval
-- self_healed: not acknowledged; closed by the system after recovery
-- closed_by_hand: not acknowledged; closed by a member
-- timed_out: not acknowledged; closed by the system without recovery
-- merged_away: not acknowledged; merged into another incident
-- still_open: not acknowledged, and still open
create or replace macro acknowledgement(
  started_from := null, started_to := null, of_incidents := 'incident_times'
) as table
with
  population as (
    select * from query_table(of_incidents) where is_within(start_time, started_from, started_to)
  ),
  counted as (
    select
      case when grouping(incident_severity) = 1 then '(all)' else incident_severity end as incident_severity,
      case when grouping(team_name) = 1 then '(all)' else team_name end as team_name,
      count(*) as incidents,
      count(*) filter (is_acknowledged) as acknowledged,
      count(*) filter (not is_acknowledged and close_type = 'auto_recovered') as self_healed,
      count(*) filter (not is_acknowledged and close_type = 'manual') as closed_by_hand,
      count(*) filter (not is_acknowledged and close_type = 'auto_timeout') as timed_out,
      count(*) filter (not is_acknowledged and close_type = 'merged_away') as merged_away,
      count(*) filter (not is_acknowledged and is_open) as still_open
    from population
    where not is_muted
    group by cube (incident_severity, team_name)
    having count(*) > 0
  ),
  final as (
    select
      incident_severity,
      team_name,
      incidents,
      acknowledged,
      acknowledged / incidents as rate,
      wilson_interval(acknowledged, incidents).low as rate_low,
      wilson_interval(acknowledged, incidents).high as rate_high,
      self_healed,
      closed_by_hand,
      timed_out,
      merged_away,
      still_open
    from counted
  )
select * from final
