-- Every local week the report can draw, with or without incidents, from where the data begins.
-- week: its Monday; of a period of more than a year the first day of a month, of which the rest holds then
-- period: `current` too for a week that the previous period or the time after shares: join incidents by both,
--   `using (week, period)`, and what is drawn are those of the period
-- is_partial: the week is not over yet, or the period, the scope or the data covers only a part of it
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
  )
select
  week::date as week,
  case
    when bucket_end(week) <= from_local then 'previous'
    when week < to_local then 'current'
    else 'running'
  end as period,
  week < first_local
    or bucket_end(week) > seen_local
    or (week < from_local and bucket_end(week) > from_local)
    or (week < to_local and bucket_end(week) > to_local) as is_partial
from weeks, span
order by week
