-- Local weeks that the report can draw, with or without incidents, from the start of the data.
-- week: its Monday. For periods of more than a year, the first day of a month, which then replaces the week
-- period: `previous`, `current` or `running`. A week in two periods has two rows, so join incidents `using (week,
--   period)`
-- is_partial: the week is not over yet, or the period, the scope or the data includes only a part of it. A week with
--   unread gaps is partial too, see unread_within
with
  span as (
    select
      timezone($timezone, greatest($previous_start, coalesce($covered_from, $previous_start))) as first_local,
      timezone($timezone, $period_start) as from_local,
      timezone($timezone, $period_end) as to_local,
      timezone($timezone, least($as_of, $scope_end)) as seen_local
  ),
  weeks as (
    select
      unnest(generate_series(bucket_of(first_local), seen_local - interval 1 microsecond, bucket_step())) as week
    from span
  ),
  periods as (
    select unnest([
      {'period': 'previous', 'begins': first_local, 'ends': from_local},
      {'period': 'current', 'begins': greatest(first_local, from_local), 'ends': least(to_local, seen_local)},
      {'period': 'running', 'begins': greatest(first_local, to_local), 'ends': seen_local}
    ], recursive := true)
    from span
  ),
  gaps as (
    select timezone($timezone, gap_from) as gap_from_local, timezone($timezone, gap_to) as gap_to_local
    from unread_within($previous_start::timestamptz, $scope_end::timestamptz)
  )
select
  week::date as week,
  period,
  week < begins
    or bucket_end(week) > ends
    or exists (from gaps where gap_from_local < bucket_end(week) and gap_to_local > week) as is_partial
from weeks
join periods on begins < ends and week < ends and bucket_end(week) > begins
order by week, period = 'running', period = 'current'
