-- The 95 % interval of a quantile of a column, over the rows of a group, as a struct of `low` and `high`: the values at
-- the ranks of quantile_ranks. Nothing is assumed of the distribution and nothing is random. Null where there are no such
-- ranks (the median below 6 values, the 90th percentile below 36), and below the threshold interval_min_n.
-- columns:
-- amount: the column; null is left out
-- p: which quantile, 0 to 1; 0.5 is the median
create or replace macro quantile_interval(amount, p) as
  -- Without a case around the sorted list: inside of one DuckDB would sort it again for each end and each quantile.
  list_transform(
    [{
      'sorted': list_sort(list(amount) filter (where amount is not null)),
      'ranks': quantile_ranks(count(amount), p),
      'fewest': threshold('interval_min_n', 6)
    }],
    lambda given: case when len(given.sorted) >= given.fewest and given.ranks is not null then struct_pack(
      low := given.sorted[given.ranks.low],
      high := given.sorted[given.ranks.high]
    ) end
  )[1]
