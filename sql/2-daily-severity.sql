-- Incidents by account, the UTC day they started on and severity, muted ones included. Every day from the account's
-- first incident to its as_of has a row for each documented severity: an empty bucket is 0, not missing. Another zone's
-- days need another query: `date_trunc('day', start_time at time zone zone)`.
-- columns:
-- account_id: the account
-- day: UTC day of start_time
-- incident_severity: configured severity; Ok is a bucket of its own
-- incidents: how many started
-- share: part of the account's incidents of the day, 0 to 1; null on a day without incidents
-- is_partial: the day is not over at as_of
with
  as_of as (select * from as_of),
  incident_times as (select * from incident_times),
  started as (
    select account_id, cast(start_time at time zone 'UTC' as date) as day, incident_severity, count(*) as incidents
    from incident_times
    where start_time is not null
    group by all
  ),
  first_days as (
    select account_id, min(day) as day from started group by account_id
  ),
  -- The calendar ends at as_of. A start_time far in the future adds its own day, not all the days before it.
  days as (
    select
      account_id,
      cast(unnest(generate_series(
        cast(first_days.day as timestamp), date_trunc('day', as_of.as_of_at at time zone 'UTC'), interval 1 day
      )) as date) as day
    from first_days
    join as_of using (account_id)
    union
    select account_id, day from started
  ),
  severities as (
    select account_id, unnest(['Critical', 'Warning', 'Info', 'Ok']) as incident_severity from first_days
    union
    select account_id, incident_severity from started
  ),
  final as (
    select
      days.account_id,
      days.day,
      severities.incident_severity,
      coalesce(started.incidents, 0) as incidents,
      coalesce(started.incidents, 0) / nullif(sum(started.incidents) over (partition by days.account_id, days.day), 0) as share,
      (days.day + interval 1 day) at time zone 'UTC' > as_of.as_of_at as is_partial
    from days
    join severities using (account_id)
    join as_of using (account_id)
    left join started
      on started.account_id = days.account_id
      and started.day = days.day and started.incident_severity is not distinct from severities.incident_severity
  )
select * from final
