-- Mean time between incidents (MTBF). This is the length of the period divided by the incidents that started in it,
-- including muted ones. If on-call hours per week are configured for a team (table config_on_call), it also reports
-- incidents per 1,000 of these hours. Two people on call at once count twice. The service does not report these hours.
-- question: How much time is between incidents?
-- key: incident_severity, team_name
-- rule: Time between: period length divided by the number of incidents that started in it (MTBF). On-call hours come
--   from the configuration.
-- columns:
-- see acknowledgement: incident_severity, team_name
-- incidents: incidents that started in the period
-- period_hours: hours of the period up to as_of. If both ends are null, the period reaches from the first start to
--   as_of
-- mean_between_s: period_hours / incidents in seconds
-- on_call_hours: on-call hours of the team in the period, or of all teams that have any. Null if none are configured
-- per_1000_hours: incidents per 1,000 on-call hours, for teams that have such hours. Null if none are configured
create or replace macro time_between(
  period_from := null, period_to := null, of_incidents := 'incident_times'
) as table
with
  config_on_call as (select * from config_on_call),
  population as (from incidents_in(of_incidents := of_incidents, started_from := period_from, started_to := period_to)),
  on_call as (
    select team_name, hours_per_week from config_on_call
    union all
    select '(all)', sum(hours_per_week) from config_on_call
  ),
  span as (
    select
      (
        epoch(least(cast(period_to as timestamptz), max(as_of_at)))
        - epoch(coalesce(cast(period_from as timestamptz), min(start_time)))
      ) / 3600 as period_hours
    from population
  ),
  counted as (
    select
      or_all(incident_severity, grouping(incident_severity)) as incident_severity,
      or_all(team_name, grouping(team_name)) as team_name,
      count(*) as incidents,
      count(config_on_call.team_name) as on_call_incidents
    from population
    left join config_on_call using (team_name)
    group by cube (incident_severity, team_name)
    having count(*) > 0
  ),
  final as (
    select
      incident_severity,
      counted.team_name,
      incidents,
      period_hours,
      3600 * period_hours / incidents as mean_between_s,
      hours_per_week * period_hours / 168 as on_call_hours,
      1000 * on_call_incidents / nullif(hours_per_week * period_hours / 168, 0) as per_1000_hours
    from counted
    cross join span
    left join on_call on on_call.team_name = counted.team_name
  )
select * from final
