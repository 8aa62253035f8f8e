-- Data gaps: runs of a week or more without any incident, for the selected teams and severities, that are not due to
-- chance (p below 1%, by the twelve weeks before). A broken integration, a lost key or an expired route causes such a
-- gap, and counts of a period with a gap must not be compared. Days that were not read are not part of a gap, and a gap
-- needs three weeks that were read before it.
-- from_day, to_day: its local days, with an exclusive end. days: length. per_week: incidents per week before
-- p: probability of such a gap by chance. It allows for the uncertainty of the rate before the gap and for
--   overdispersion between weeks, with spikes cut to twice a usual day
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
  most as (
    select 2 * median(n) as n from counted
  ),
  daily as (
    select day, coalesce(counted.n, 0) as n, least(coalesce(counted.n, 0), most.n) as usual
    from listed
    left join counted using (day)
    cross join most
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
  earlier as (
    select judged.place as place, count(*) as n from scoped_earlier group by all
  ),
  before as (
    select from_day, (from_day - day - 1) // 7 as week, count(*) as days, sum(usual) as n
    from runs
    join daily on day < from_day and day >= from_day - 84
    group by all
    having count(*) = 7
    union all
    select from_day, -1 - places.place, 7, least(coalesce(earlier.n, 0), 7 * most.n)
    from runs
    cross join (from scoped_places where period = 'earlier' and is_read) as places
    cross join ends
    left join earlier using (place)
    cross join most
    -- Excludes weeks in which the gap began.
    where from_day >= first_day or coalesce(earlier.n, 0) > 0
  ),
  rates as (
    select
      from_day,
      sum(days) as days_before,
      sum(n) as n_before,
      greatest(1, coalesce(var_samp(n) / nullif(avg(n), 0), 1)) as together
    from before
    group by from_day
    having count(*) >= 3
  ),
  tested as (
    select
      runs.*,
      7 * n_before / days_before as per_week,
      silence_p(n_before, together, days, days_before, (select count(*) from daily)) as p
    from runs
    join rates using (from_day)
    where n_before > 0
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
