-- Incidents by the UTC day they started on and by severity, muted ones included. Every day from the first incident to
-- as_of has a row for each documented severity: an empty bucket is 0, not missing. Another zone's days need another
-- query: `date_trunc('day', start_time at time zone zone)`.
-- columns:
-- day: UTC day of start_time
-- incident_severity: configured severity; Ok is a bucket of its own
-- incidents: how many started
-- share: part of the day's incidents, 0 to 1; null on a day without incidents
-- is_partial: the day is not over at as_of
with
  as_of as (select * from as_of),
  incident_times as (select * from incident_times),
  started as (
    select cast(start_time at time zone 'UTC' as date) as day, incident_severity, count(*) as incidents
    from incident_times
    where start_time is not null
    group by all
  ),
  -- The calendar ends at as_of. A start_time far in the future adds its own day, not all the days before it.
  days as (
    select cast(unnest(generate_series(
      (select cast(min(day) as timestamp) from started),
      (select date_trunc('day', as_of_at at time zone 'UTC') from as_of),
      interval 1 day
    )) as date) as day
    union
    select day from started
  ),
  severities as (
    select unnest(['Critical', 'Warning', 'Info', 'Ok']) as incident_severity
    union
    select incident_severity from started
  ),
  final as (
    select
      days.day,
      severities.incident_severity,
      coalesce(started.incidents, 0) as incidents,
      coalesce(started.incidents, 0) / nullif(sum(started.incidents) over (partition by days.day), 0) as share,
      (days.day + interval 1 day) at time zone 'UTC' > as_of.as_of_at as is_partial
    from days
    cross join severities
    cross join as_of
    left join started
      on started.day = days.day and started.incident_severity is not distinct from severities.incident_severity
  )
select * from final
