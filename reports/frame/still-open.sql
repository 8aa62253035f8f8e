-- Facts for a period without incidents, for the selected teams and severities.
-- incidents, critical: number open now. since: those of them that began after the period
-- later: open incidents that began after the scope of the report, as for a past period
-- came: incidents that started after the period, open or not
-- gap_from, gap_to, gap_days, gap_per_week: longest data gap in the period, see scoped_silences. The end is exclusive
--   and null while it lasts. Null without one
with
  gap as (
    select
      from_day::varchar as gap_from,
      if(is_open, null, to_day::varchar) as gap_to,
      days as gap_days,
      per_week as gap_per_week
    from scoped_silences
    where in_current > 0
    order by days desc, from_day
    limit 1
  ),
  counted as (
    select
      count(*) filter (start_time < $scope_end) as incidents,
      count(*) filter (start_time < $scope_end and incident_severity = 'Critical') as critical,
      count(*) filter (start_time >= $period_end and start_time < $scope_end) as since,
      count(*) filter (start_time >= $scope_end) as later,
      (select count(*) from scoped_incidents where period = 'running') as came
    from incident_times
    where is_open
      and ($teams::varchar[] is null or list_contains($teams::varchar[], team_name))
      and ($severities::varchar[] is null or list_contains($severities::varchar[], incident_severity))
      and has_chosen($dimensions::varchar[], dimensions)
  )
from counted
left join gap on true
