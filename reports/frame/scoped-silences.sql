-- Data gaps: runs of a week or more without any incident, for the selected teams and severities, that are not due to
-- chance (p below 1%, by the weeks before it). A broken integration, a lost key or an expired route causes such a gap,
-- and counts of a period with a gap must not be compared. Days that were not read are not part of a gap.
-- from_day, to_day: its local days, with an exclusive end. days: length. per_week: see usual_before
-- p: probability of such a gap by chance. It allows for the uncertainty of the rate before the gap and for
--   overdispersion between weeks
-- is_open: no incident since. in_current, in_previous: its days in these periods
with
  ends as (
    select
      timezone($timezone, greatest($previous_start, coalesce($covered_from, $previous_start)))::date as first_day,
      timezone($timezone, $period_start)::date as period_day,
      timezone($timezone, $period_end)::date as end_day,
      timezone($timezone, least($as_of, $scope_end))::date as seen_day
  ),
  gaps as (
    select timezone($timezone, gap_from) as gap_from_local, timezone($timezone, gap_to) as gap_to_local
    from unread_within($previous_start::timestamptz, $scope_end::timestamptz)
  ),
  listed as (
    select day::date as day
    from ends, unnest(generate_series(first_day, seen_day - 1, interval 1 day)) as each (day)
    where not exists (from gaps where gap_from_local < day + interval 1 day and gap_to_local > day)
  ),
  counted as (
    select counted_local::date as day, count(*) as n from scoped_kept where period <> 'earlier' group by all
  ),
  -- A gap can begin before both periods.
  last_before as (
    select max(timezone($timezone, counted_at))::date as last_day
    from (
      select counted_at
      from cohort_times
      where counted_at < $previous_start
        and ($teams::varchar[] is null or list_contains($teams::varchar[], team_name))
        and ($severities::varchar[] is null or list_contains($severities::varchar[], incident_severity))
    )
  ),
  daily as (
    select day, coalesce(counted.n, 0) as n
    from listed
    left join counted using (day)
  ),
  runs as (
    select
      if(
        min(day) = any_value(first_day),
        coalesce(any_value(last_day) + 1, min(day)),
        min(day)
      ) as from_day,
      max(day) + 1 as to_day,
      to_day - from_day as days
    from (select day, day - row_number() over (order by day)::int as run from daily where n = 0), ends, last_before
    group by run
    having days >= 7
  ),
  starts as (
    select
      from_day as series,
      from_day,
      null as team_name,
      null as channel_name,
      null as integration_type,
      null as incident_severity
    from runs
  ),
  tested as (
    select
      runs.*,
      per_week,
      silence_p(n, dispersion, days, 7 * weeks, (select count(*) from daily)) as p
    from runs
    join usual_before('starts') using (from_day)
    where n > 0
  )
select
  from_day,
  to_day,
  days,
  per_week,
  p,
  to_day = seen_day as is_open,
  greatest(0, least(to_day, end_day) - greatest(from_day, period_day)) as in_current,
  greatest(0, least(to_day, period_day) - greatest(from_day, first_day)) as in_previous
from tested, ends
where p < 0.01
order by from_day
