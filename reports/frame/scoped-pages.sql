-- Pages, estimated from assignments of people, of the selected teams and severities. All columns of page_starts except
-- dimensions, and:
-- period: `current`, `previous` or `running`, by the time of the page, not of the incident
-- week: its local week. judged: for weeks_of, the week of its period (`place`)
-- rule: see page_starts
-- rule: see hour_band
select
  * exclude (dimensions),
  case
    when paged_at < $period_start then 'previous'
    when paged_at < $period_end then 'current'
    else 'running'
  end as period,
  {
    'place': case
      when paged_at < $period_start
        then week_of_period(paged_at, $previous_start::timestamptz, $period_start::timestamptz)
      when paged_at < $period_end
        then week_of_period(paged_at, $period_start::timestamptz, $period_end::timestamptz)
    end
  } as judged,
  bucket_of(timezone($timezone, paged_at))::date as week
from page_starts(period_from := $previous_start, period_to := $scope_end)
where ($teams::varchar[] is null or list_contains($teams::varchar[], team_name))
  and ($severities::varchar[] is null or list_contains($severities::varchar[], incident_severity))
  and has_chosen($dimensions::varchar[], dimensions)
