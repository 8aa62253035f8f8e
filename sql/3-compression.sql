-- How many raw alert events became one incident, over incidents that have alerts.
-- columns:
-- started_from: parameter: only incidents started then or later; null is all
-- started_to: parameter: only incidents started before; null is all
-- of_incidents: parameter: relation to speak of, with the columns of incident_times; a CTE will do
-- incident_severity: configured severity, or `(all)`
-- team_name: team that owns the channel, `(no channel)`, `(unknown)`, or `(all)`
-- incidents: incidents with alerts
-- alert_events: raw events behind them
-- compression: 1 - incidents / alert_events; null without events, negative when there are fewer events than incidents
create or replace macro compression(
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
      coalesce(sum(alert_event_cnt), 0) as alert_events
    from population
    where alert_cnt > 0
    group by cube (incident_severity, team_name)
    having count(*) > 0
  ),
  final as (
    select *, 1 - incidents / nullif(alert_events, 0) as compression from counted
  )
select * from final
