-- Starts of incidents by local weekday and hour, including muted incidents, 168 rows.
-- question: At which weekday and hour do incidents start?
-- key: weekday, hour
-- columns:
-- zone: parameter: IANA zone of the weekdays and hours
-- weekday: weekday of the start, 1 is Monday
-- hour: hour of the start, 0 to 23
-- incidents: incidents that started in this hour
-- share: share of all incidents, 0 to 1, or null if there are no incidents
create or replace macro rhythm(
  zone := 'UTC', started_from := null, started_to := null, of_incidents := 'incident_times'
) as table
with
  population as (
    from incidents_in(of_incidents := of_incidents, started_from := started_from, started_to := started_to)
  ),
  started as (
    select
      isodow(start_time at time zone zone) as weekday,
      hour(start_time at time zone zone) as hour,
      count(*) as incidents
    from population
    where start_time is not null
    group by all
  ),
  hours as (
    select weekdays.weekday, hours.hour
    from range(1, 8) as weekdays (weekday)
    cross join range(24) as hours (hour)
  ),
  final as (
    select
      hours.weekday,
      hours.hour,
      coalesce(started.incidents, 0) as incidents,
      coalesce(started.incidents, 0) / nullif((select sum(started.incidents) from started), 0) as share
    from hours
    left join started using (weekday, hour)
  )
select * from final
