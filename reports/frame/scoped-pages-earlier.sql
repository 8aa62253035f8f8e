-- Pages of up to 12 weeks before both periods, if the data reaches back. They are used to estimate the variation
-- between weeks. All columns of page_starts except dimensions, and:
-- judged: for earlier_weeks_of, the week before both periods (`place`), see scoped_places
-- rule: see page_starts
-- rule: see hour_band
select
  * exclude (dimensions, places),
  {
    'place': (places - 1 - floor((epoch($previous_start::timestamptz) - epoch(paged_at) - 1e-6) / 604800))::usmallint
  } as judged
from page_starts(period_from := $previous_start::timestamptz - interval 84 day, period_to := $previous_start)
cross join (select count(*) as places from scoped_places where period = 'earlier')
where paged_at >= $previous_start::timestamptz - places * interval 7 day
  and ($teams::varchar[] is null or list_contains($teams::varchar[], team_name))
  and ($severities::varchar[] is null or list_contains($severities::varchar[], incident_severity))
  and has_chosen($dimensions::varchar[], dimensions)
