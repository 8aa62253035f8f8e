-- The usual range of a series, as a struct of `low`, `centre`, `high`, `by`, `n` and `is_judged`. An individuals chart
-- (XmR): mean ± 2.66·mean moving range, or median ± 3.145·median moving range below 20 points, so that one spike does
-- not widen the range enough to hide itself. Counts around less than 2, and those of which more than half are equal,
-- have no such range: theirs is count_limits (`by` is `count`), and none below 5 in all. Null below 6 points, and where
-- it would have no width; a point outside is called unusual from 12 points on (`is_judged`). Source: Wheeler,
-- Understanding Variation, 2nd ed., and Advanced Topics in Statistical Process Control, table A.6.
-- rule: Usual: limits of an individuals chart (XmR) over all whole weeks shown: by medians below 20 weeks, by means
--   from there. Counts around less than 2 a week, or mostly equal: what chance leaves in 99 of 100 such charts (exact
--   binomial, widened where they come in bursts), and below 5 in all too rare to say. Drawn from 6 weeks, judged from
--   12.
-- columns:
-- points: the series in the order of time, as a list without nulls: list(incidents order by week)
-- lowest: the lower limit is not below this; null is no such limit
-- limits_by: `mean` or `median`; null takes the median below 20 points
-- are_counts: the points are counts of equally long buckets
create or replace macro usual_range(points, lowest := null, limits_by := null, are_counts := false) as
  list_transform(
    list_transform(
      [{
        'points': points,
        'by': case
          when are_counts and (
            list_median(points) < 2
            or 2 * len(list_filter(points, lambda one: one = list_aggregate(points, 'mode'))) > len(points)
          )
            then 'count'
          else coalesce(limits_by, case when len(points) < 20 then 'median' else 'mean' end)
        end,
        'moves': list_transform(range(2, len(points) + 1), lambda place: abs(points[place] - points[place - 1]))
      }],
      lambda given: {
        'by': given."by",
        'limits': case given."by"
          when 'count' then count_limits(given.points)
          when 'median' then struct_pack(
            low := greatest(lowest, list_median(given.points) - 3.145e0 * list_median(given.moves)),
            centre := cast(list_median(given.points) as double),
            high := list_median(given.points) + 3.145e0 * list_median(given.moves)
          )
          else struct_pack(
            low := greatest(lowest, list_avg(given.points) - 2.66e0 * list_avg(given.moves)),
            centre := cast(list_avg(given.points) as double),
            high := list_avg(given.points) + 2.66e0 * list_avg(given.moves)
          )
        end
      }
    ),
    lambda given: case when len(points) >= 6 and given.limits.high > given.limits.low then struct_pack(
      low := given.limits.low,
      centre := given.limits.centre,
      high := given.limits.high,
      "by" := given."by",
      n := len(points),
      is_judged := len(points) >= 12
    ) end
  )[1]
