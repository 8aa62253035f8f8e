-- The incidents of up to 12 weeks before both periods, as far as the data reaches: they say how much a count differs
-- from week to week, and nothing else. `earlier_weeks_of(judged, incident_severity = 'Critical')` counts them.
-- incident_severity, team_name, channel_name, integration_type: as in incident_times
-- judged: in which of those weeks (`place`, from 0)
with
  reach as (
    select
      least(
        12,
        floor((epoch($previous_start::timestamptz) - epoch($covered_from::timestamptz)) / 604800)
      )::bigint as weeks
  ),
  cohort_times as (select counted_at, incident_severity, team_name, channel_name, integration_type from cohort_times),
  placed as (
    select
      incident_severity,
      team_name,
      channel_name,
      integration_type,
      weeks - 1 - floor((epoch($previous_start::timestamptz) - epoch(counted_at) - 1e-6) / 604800)::bigint as place
    from cohort_times
    cross join reach
    where counted_at < $previous_start
      and counted_at >= $previous_start::timestamptz - interval 84 day
      and ($teams::varchar[] is null or list_contains($teams::varchar[], team_name))
      and ($severities::varchar[] is null or list_contains($severities::varchar[], incident_severity))
  )
select incident_severity, team_name, channel_name, integration_type, {'place': place} as judged
from placed
where place >= 0
