-- The 95 % interval of a quantile of a column, over the rows of a group, as a struct of `low` and `high`: the values at
-- the ranks of quantile_ranks. Nothing is assumed of the distribution and nothing is random. Null where there are no such
-- ranks (the median below 6 values, the 90th percentile below 36), and below the threshold interval_min_n.
-- columns:
-- amount: the column; null is left out
-- p: which quantile, 0 to 1; 0.5 is the median
create or replace macro quantile_interval(amount, p) as
  case
    when count(amount) >= threshold('interval_min_n', 6) and quantile_ranks(count(amount), p) is not null then struct_pack(
      low := list_sort(list(amount) filter (where amount is not null))[quantile_ranks(count(amount), p).low],
      high := list_sort(list(amount) filter (where amount is not null))[quantile_ranks(count(amount), p).high]
    )
  end
