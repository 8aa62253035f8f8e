-- 95% CI of a quantile of a column over the rows of a group, as a struct of `low` and `high`. These are the values at
-- the ranks of quantile_ranks. It is exact, without assumptions on the distribution and without randomness. Null if
-- there are no such ranks (below 6 values for the median, below 36 for the 90th percentile), and below {interval_min_n}
-- values (threshold interval_min_n).
-- rule: Interval: 95% CI on cards and in tables. It uses exact order statistics for medians (from {max(6,
--   interval_min_n)} incidents) and p90 (from {max(36, interval_min_n)}), Wilson for shares, and skewness-corrected t
--   (Hall) for means (from 20). n is the sample size.
-- columns:
-- amount: the column, nulls are ignored
-- p: the quantile, 0 to 1, with 0.5 for the median
create or replace macro quantile_interval(amount, p) as
  -- Do not put `case` around the sorted list: DuckDB would sort it again for each end and each quantile.
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
