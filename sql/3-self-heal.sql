-- Incidents that needed nobody, muted ones included: recovered and closed by the system without acknowledgement; and
-- those closed in less than 5 minutes (threshold quick_close_s), by whomever.
-- columns:
-- started_from: parameter: only incidents started then or later; null is all
-- started_to: parameter: only incidents started before; null is all
-- of_incidents: parameter: relation to speak of, with the columns of incident_times; a CTE will do
-- incident_severity: configured severity, or `(all)`
-- team_name: team that owns the channel, `(no channel)`, `(unknown)`, or `(all)`
-- incidents: all incidents
-- self_healed: of them, self-healed
-- self_heal_rate: self_healed / incidents, 0 to 1
-- self_heal_low: lower end of its 95 % Wilson interval
-- self_heal_high: upper end of its 95 % Wilson interval
-- quick_closes: closed in less than 5 minutes
-- quick_close_share: quick_closes / incidents, 0 to 1
create or replace macro self_heal(
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
      count(*) filter (is_self_healed) as self_healed,
      count(*) filter (time_to_close_s < threshold('quick_close_s', 300)) as quick_closes
    from population
    group by cube (incident_severity, team_name)
    having count(*) > 0
  ),
  final as (
    select
      incident_severity,
      team_name,
      incidents,
      self_healed,
      self_healed / incidents as self_heal_rate,
      wilson_interval(self_healed, incidents).low as self_heal_low,
      wilson_interval(self_healed, incidents).high as self_heal_high,
      quick_closes,
      quick_closes / incidents as quick_close_share
    from counted
  )
select * from final
