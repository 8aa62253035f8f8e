-- Assignments of people in the current period, by the time of the assignment: scoped_pages without the period before,
-- which a report that only asks for these need not have. All columns of page_starts but dimensions, and:
-- place: in which week of the period, from 0
-- rule: see page_starts
-- rule: see hour_band
select * exclude (dimensions), week_of_period(paged_at, $period_start::timestamptz, $period_end::timestamptz) as place
from page_starts(period_from := $period_start, period_to := $period_end)
where ($teams::varchar[] is null or list_contains($teams::varchar[], team_name))
  and ($severities::varchar[] is null or list_contains($severities::varchar[], incident_severity))
  and has_chosen($dimensions::varchar[], dimensions)
