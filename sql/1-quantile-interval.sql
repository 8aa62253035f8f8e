-- The 95 % interval of a quantile of a column, over the rows of a group, as a struct of `low` and `high`: the values at
-- the ranks n·p ± 1.96·sqrt(n·p·(1-p)), rounded up and counted from 1. Nothing is assumed of the distribution and
-- nothing is random. Null below 6 values (threshold interval_min_n). Source: Conover, Practical Nonparametric Statistics, 3rd ed., section 3.2.
-- columns:
-- amount: the column; null is left out
-- p: which quantile, 0 to 1; 0.5 is the median
create or replace macro quantile_interval(amount, p) as
  case
    when count(amount) >= threshold('interval_min_n', 6) then struct_pack(
      low := list_sort(list(amount) filter (where amount is not null))[cast(greatest(
        1,
        ceil(count(amount) * cast(p as double)
          - 1.96e0 * sqrt(count(amount) * cast(p as double) * (1 - cast(p as double))))
      ) as bigint)],
      high := list_sort(list(amount) filter (where amount is not null))[cast(least(
        count(amount),
        ceil(count(amount) * cast(p as double)
          + 1.96e0 * sqrt(count(amount) * cast(p as double) * (1 - cast(p as double))))
      ) as bigint)]
    )
  end
