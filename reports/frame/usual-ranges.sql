-- Expected range of each series that a report draws or mentions, see usual_range. The engine provides `points`:
-- series, value: name and value. place: position. is_whole: the bucket is over and completely covered
-- is_in_gap: the bucket has days of a data gap, so it does not count for the range
-- on_log: drawn on a log scale. is_count: a count in buckets of equal length
-- The result has one row per series:
-- points: number of full buckets with a value and without a gap. last: the newest value. is_in_gap: it is in a gap
-- low, centre, high: the range, of the logarithms on a log scale. Null below 6 points
-- by: `mean`, `median` or `count`
-- is_judged: enough points to flag one. is_rare: total too small for a range
-- direction: position of the last point, 1 above, -1 below, 0 inside
-- least, most: lowest and highest whole number inside. outside: number of points outside
with
  listed as (
    select
      series,
      on_log,
      is_count,
      list(if(on_log, ln(value), value) order by place) filter (not is_in_gap) as points,
      list(value) filter (not is_in_gap) as values,
      arg_max(value, place) as last,
      arg_max(is_in_gap, place) as is_in_gap
    from points
    where is_whole and value is not null and (not on_log or value > 0)
    group by series, on_log, is_count
    having bool_or(not is_in_gap)
  ),
  ranged as (
    select
      *,
      usual_range(
        points,
        lowest := if(on_log, null, least(0, list_min(points))),
        -- A single spike widens a range based on means so much that the spike hides itself.
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
      is_in_gap,
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
