-- The 95 % interval of a quantile of a column, over the rows of a group, as a struct of `low` and `high`: the values at
-- the ranks of quantile_ranks. Nothing is assumed of the distribution and nothing is random. Null where there are no
-- such ranks (the median below 6 values, the 90th percentile below 36), and below {interval_min_n} (threshold
-- interval_min_n).
-- rule: Interval: the range on the cards and below the figures of tables, 95 %: exact ranks for a median (none below
--   {max(6, interval_min_n)} incidents) and a p90 (none below {max(36, interval_min_n)}), Wilson for a share, t with
--   the skewness taken out (Hall) for a mean (none below 20). n is how many incidents it rests on.
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
