-- Hours that incidents were open in a period. For each incident, only the part of the time from start_time to
-- close_time (or as_of) that is within the period counts. An incident is open at its start and no longer open at its
-- end. Two incidents do not overlap if one ends when the other starts.
-- columns:
-- see acknowledgement: incident_severity, team_name
-- incidents: incidents that were open at some time in the period
-- incident_hours: sum of the hours that the incidents were open
-- busy_hours: hours with at least one open incident
-- peak_concurrency: highest number of incidents open at once
-- peak_at: first time at which the peak was reached
-- period_hours: hours in the period. If both ends are null, the period reaches from the first start to as_of
-- mean_concurrency: incident_hours / period_hours, the mean number of open incidents
create or replace macro incident_hours(
  period_from := null, period_to := null, of_incidents := 'incident_times'
) as table
with
  population as (select * from query_table(of_incidents)),
  spans as (
    select
      incident_severity,
      team_name,
      greatest(epoch(start_time), epoch(cast(period_from as timestamptz))) as from_s,
      least(
        epoch(start_time) + survival_s,
        epoch(cast(period_to as timestamptz)),
        epoch(as_of_at)
      ) as to_s,
      epoch(as_of_at) as as_of_s
    from population
    where survival_s is not null
  ),
  bounds as (
    select
      coalesce(epoch(cast(period_from as timestamptz)), min(from_s)) as from_s,
      least(epoch(cast(period_to as timestamptz)), max(as_of_s)) as to_s
    from spans
  ),
  open_spans as (
    select
      unnest([incident_severity, incident_severity, '(all)', '(all)']) as incident_severity,
      unnest([team_name, '(all)', team_name, '(all)']) as team_name,
      from_s,
      to_s
    from spans
    where to_s > from_s
  ),
  moments as (
    select incident_severity, team_name, at_s, sum(opened) as opened, sum(started) as started
    from (
      select incident_severity, team_name, from_s as at_s, 1 as opened, 1 as started from open_spans
      union all
      select incident_severity, team_name, to_s, -1, 0 from open_spans
    )
    group by incident_severity, team_name, at_s
  ),
  steps as (
    select
      *,
      sum(opened) over (by_time rows unbounded preceding) as open_now,
      lead(at_s) over by_time - at_s as lasting_s
    from moments
    window by_time as (partition by incident_severity, team_name order by at_s)
  ),
  summed as (
    select
      incident_severity,
      team_name,
      cast(sum(started) as bigint) as incidents,
      sum(open_now * lasting_s) / 3600 as incident_hours,
      coalesce(sum(lasting_s) filter (open_now > 0), 0) / 3600 as busy_hours,
      cast(max(open_now) as bigint) as peak_concurrency,
      to_timestamp(arg_max(at_s, (open_now, -at_s))) as peak_at
    from steps
    group by incident_severity, team_name
  ),
  final as (
    select
      summed.*,
      (bounds.to_s - bounds.from_s) / 3600 as period_hours,
      summed.incident_hours / nullif((bounds.to_s - bounds.from_s) / 3600, 0) as mean_concurrency
    from summed
    cross join bounds
  )
select * from final
