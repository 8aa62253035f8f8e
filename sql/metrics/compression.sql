-- Raw alert events per incident, for incidents with alerts.
-- question: How many alert events become one incident?
-- key: incident_severity, team_name
-- columns:
-- see acknowledgement: incident_severity, team_name
-- incidents: incidents with alerts
-- alert_events: raw events of these incidents
-- compression: 1 - incidents / alert_events, negative if there are fewer events than incidents. Null for 0 events
-- compression_low: lower limit of its 95% CI, from the CI of the mean events per incident, see mean_interval
-- compression_high: upper limit of its 95% CI
create or replace macro compression(
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
      coalesce(sum(alert_event_cnt), 0) as alert_events,
      mean_interval(alert_event_cnt, lowest := 0) as events_each
    from population
    where alert_cnt > 0
    group by cube (incident_severity, team_name)
    having count(*) > 0
  ),
  final as (
    select
      * exclude (events_each),
      1 - incidents / nullif(alert_events, 0) as compression,
      1 - 1 / nullif(events_each.low, 0) as compression_low,
      1 - 1 / nullif(events_each.high, 0) as compression_high
    from counted
  )
select * from final
