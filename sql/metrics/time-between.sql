-- The mean time between incidents (MTBF): the length of the period over the incidents that started in it, muted ones
-- included. Where the configuration says how many hours a week somebody of a team is on call (table config_on_call),
-- also incidents per 1,000 such hours; two people at once count twice. The service does not tell these hours.
-- question: How long is it between incidents?
-- key: incident_severity, team_name
-- rule: Time between: the length of the period over the incidents that started in it; on-call hours are those of the
--   configuration.
-- columns:
-- see acknowledgement: incident_severity, team_name
-- incidents: incidents that started in the period
-- period_hours: hours of the period up to as_of; without its ends, from the first start to as_of
-- mean_between_s: period_hours / incidents, seconds
-- on_call_hours: hours of the team on call in the period, or of all teams that have any; null where none are set
-- per_1000_hours: incidents of teams that have on-call hours, per 1,000 of them; null without
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
