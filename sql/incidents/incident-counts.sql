-- Incidents per local day, week (from Monday) or month of their start and per severity, including muted ones. Every
-- bucket from the first to as_of has a row for each severity and for `(all)`, with 0 if it is empty. A start after
-- as_of adds its own bucket only. Weeks in which the clocks change have 167 or 169 hours.
-- columns:
-- bucket: parameter: `day`, `week` or `month`
-- zone: parameter: IANA zone of the buckets
-- bucket_start: first local day of the bucket
-- starts_at: start of the bucket
-- ends_at: start of the next bucket
-- hours: length of the bucket in hours
-- is_partial: the bucket ends after as_of, started_from or started_to cuts it, or a part of it was not read (see
--   unread_within)
-- incident_severity: configured severity, or `(all)`
-- incidents: number of incidents that started
-- share: share of the incidents of the bucket, 0 to 1, or null if the bucket is empty
create or replace macro incident_counts(
  bucket := 'week', zone := 'UTC', started_from := null, started_to := null, of_incidents := 'incident_times'
) as table
with
  population as (
    from incidents_in(of_incidents := of_incidents, started_from := started_from, started_to := started_to)
  ),
  started as (
    select
      date_trunc(bucket, start_time at time zone zone) as bucket_start,
      or_all(incident_severity, grouping(incident_severity)) as incident_severity,
      count(*) as incidents
    from population
    where start_time is not null
    group by date_trunc(bucket, start_time at time zone zone), rollup (incident_severity)
  ),
  seen as (select max(as_of_at) as as_of_at from query_table(of_incidents)),
  buckets as (
    select unnest(generate_series(
      date_trunc(bucket, coalesce(
        cast(started_from as timestamptz) at time zone zone,
        (select min(bucket_start) from started)
      )),
      date_trunc(bucket, (least(
        (select as_of_at from seen),
        cast(started_to as timestamptz) - interval 1 microsecond
      )) at time zone zone),
      case bucket when 'month' then interval 1 month when 'week' then interval 7 day else interval 1 day end
    )) as bucket_start
    union
    select bucket_start from started
  ),
  bounded as (
    select
      bucket_start,
      bucket_start at time zone zone as starts_at,
      (
        bucket_start
        + case bucket when 'month' then interval 1 month when 'week' then interval 7 day else interval 1 day end
      ) at time zone zone as ends_at
    from buckets
  ),
  gaps as (
    from unread_within((select min(starts_at) from bounded), (select max(ends_at) from bounded))
  ),
  severities as (
    select unnest(['(all)', 'Critical', 'Warning', 'Info', 'Ok']) as incident_severity
    union
    select incident_severity from started
  ),
  final as (
    select
      cast(bounded.bucket_start as date) as bucket_start,
      bounded.starts_at,
      bounded.ends_at,
      (epoch(bounded.ends_at) - epoch(bounded.starts_at)) / 3600 as hours,
      bounded.ends_at > seen.as_of_at
        or not is_within(bounded.starts_at, started_from, null)
        or coalesce(bounded.ends_at > cast(started_to as timestamptz), false)
        or exists (from gaps where gap_from < bounded.ends_at and gap_to > bounded.starts_at) as is_partial,
      severities.incident_severity,
      coalesce(started.incidents, 0) as incidents,
      coalesce(started.incidents, 0) / nullif(totals.incidents, 0) as share
    from bounded
    cross join severities
    cross join seen
    left join started
      on started.bucket_start = bounded.bucket_start
      and started.incident_severity is not distinct from severities.incident_severity
    left join started as totals
      on totals.bucket_start = bounded.bucket_start and totals.incident_severity = '(all)'
  )
select * from final
