-- Pages of the current period, by the time of the assignment, for reports that do not need the previous period of
-- scoped_pages. All columns of page_starts except dimensions, and:
-- place: week of the period, from 0
-- rule: see page_starts
-- rule: see hour_band
select * exclude (dimensions), week_of_period(paged_at, $period_start::timestamptz, $period_end::timestamptz) as place
from page_starts(period_from := $period_start, period_to := $period_end)
where ($teams::varchar[] is null or list_contains($teams::varchar[], team_name))
  and ($severities::varchar[] is null or list_contains($severities::varchar[], incident_severity))
  and has_chosen($dimensions::varchar[], dimensions)
