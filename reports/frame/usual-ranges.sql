-- The usual range of each series that a report draws or speaks of; see usual_range. The engine gives `points`:
-- series: its name;  place: its order;  value;  is_whole: the bucket is over and wholly covered
-- on_log: drawn on a log scale;  is_count: what is counted in equally long buckets
-- One row for each series comes back:
-- points: whole buckets with a value;  last: the newest of them
-- low, centre, high: the range, on a log scale that of the logarithms;  null below 6 points
-- by: `mean`, `median` or `count`
-- is_judged: there are enough points to call one unusual;  is_rare: too few counted to say
-- direction: of the last one, 1 above, -1 below, 0 inside
-- least, most: the whole numbers inside;  outside: how many of the points are not
with
  listed as (
    select
      series,
      on_log,
      is_count,
      list(if(on_log, ln(value), value) order by place) as points,
      list(value) as values,
      arg_max(value, place) as last
    from points
    where is_whole and value is not null and (not on_log or value > 0)
    group by series, on_log, is_count
  ),
  ranged as (
    select
      *,
      usual_range(
        points,
        lowest := if(on_log, null, least(0, list_min(points))),
        -- One burst widens a range of means so much that it hides itself.
        limits_by := if(list_max(points) >= 4 * list_reverse_sort(points)[2], 'median', null),
        are_counts := is_count
      ) as usual
    from listed
  ),
  limits as (
    select
      series,
      len(points) as points,
      values,
      last,
      if(on_log, exp(usual.low), usual.low) as low,
      if(on_log, exp(usual.centre), usual.centre) as centre,
      if(on_log, exp(usual.high), usual.high) as high,
      usual."by" as "by",
      coalesce(usual.is_judged, false) as is_judged,
      is_count and len(points) >= 12 and list_sum(points) < 5 as is_rare
    from ranged
  )
select
  *,
  case when last > high then 1 when last < low then -1 else 0 end as direction,
  ceil(low) as least,
  floor(high) as most,
  len(list_filter(values, lambda one: one < low or one > high)) as outside
from limits
