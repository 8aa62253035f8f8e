-- The usual range of a series (an individuals chart, XmR), as a struct of `low`, `centre`, `high`, `by`, `n` and `is_judged`: mean ±
-- 2.66·mean moving range, or median ± 3.145·median moving range below 20 points, so that one spike does not widen the
-- range enough to hide itself. Null below 6 points, and where it would have no width; a point outside is called unusual from
-- 12 points on (`is_judged`), but not of whole numbers around less than 2: they are too rare to say.
-- Source: Wheeler, Understanding Variation, 2nd ed., and Advanced Topics in Statistical Process Control, table A.6.
-- columns:
-- points: the series in the order of time, as a list without nulls: list(incidents order by week)
-- lowest: the lower limit is not below this; null is no such limit
-- limits_by: `mean` or `median`; null takes the median below 20 points
create or replace macro usual_range(points, lowest := null, limits_by := null) as
  case
    when coalesce(len(points), 0) < 6 or list_max(points) = list_min(points) then null
    when coalesce(limits_by, case when len(points) < 20 then 'median' else 'mean' end) = 'median' and list_median(
      list_transform(range(2, len(points) + 1), lambda place: abs(points[place] - points[place - 1]))
    ) = 0 then null
    when coalesce(limits_by, case when len(points) < 20 then 'median' else 'mean' end) = 'median' then struct_pack(
      low := greatest(lowest, list_median(points) - 3.145e0 * list_median(
        list_transform(range(2, len(points) + 1), lambda place: abs(points[place] - points[place - 1]))
      )),
      centre := cast(list_median(points) as double),
      high := list_median(points) + 3.145e0 * list_median(
        list_transform(range(2, len(points) + 1), lambda place: abs(points[place] - points[place - 1]))
      ),
      "by" := 'median',
      n := len(points),
      is_judged := len(points) >= 12
        and (list_median(points) >= 2 or list_bool_or(list_transform(points, lambda point: point <> round(point))))
    )
    else struct_pack(
      low := greatest(lowest, list_avg(points) - 2.66e0 * list_avg(
        list_transform(range(2, len(points) + 1), lambda place: abs(points[place] - points[place - 1]))
      )),
      centre := cast(list_avg(points) as double),
      high := list_avg(points) + 2.66e0 * list_avg(
        list_transform(range(2, len(points) + 1), lambda place: abs(points[place] - points[place - 1]))
      ),
      "by" := 'mean',
      n := len(points),
      is_judged := len(points) >= 12
        and (list_median(points) >= 2 or list_bool_or(list_transform(points, lambda point: point <> round(point))))
    )
  end
