-- Expected range of a series, as a struct of `low`, `centre`, `high`, `by`, `n` and `is_judged`. It has the control
-- limits of an individuals chart (XmR): mean ± 2.66·mean moving range, or median ± 3.145·median moving range below 20
-- points, so that one spike does not hide itself. Counts with a median below 2, or of which more than half are equal,
-- use count_limits instead (`by` is `count`), which needs a total of 5. Null below 6 points, and if its width is 0.
-- Points outside are flagged from 12 points on (`is_judged`). Source: Wheeler, Understanding Variation, 2nd ed., and
-- Advanced Topics in Statistical Process Control, table A.6.
-- rule: Expected range: control limits of an XmR chart over all full weeks shown, computed from medians if there are
--   fewer than 20 weeks, otherwise from means. Counts that are mostly equal or have a median below 2 a week use exact
--   binomial limits, with a 1% chance per chart that a point is outside. These limits are widened for clustering, and
--   require a total of 5. Limits are drawn from 6 weeks on, and points are flagged from 12 weeks on.
-- columns:
-- points: the series in order of time, as a list without nulls: list(incidents order by week)
-- lowest: minimum of the lower limit, or null for no minimum
-- limits_by: `mean` or `median`. Null uses the median below 20 points
-- are_counts: the points are counts in buckets of equal length
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
