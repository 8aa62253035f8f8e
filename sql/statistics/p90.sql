-- The 90th percentile of a column with linear interpolation, over the rows of a group; null below 10 values (threshold
-- p90_min_n), where it would be the largest value under another name.
-- columns:
-- amount: the column; null is left out
create or replace macro p90(amount) as
  case when count(amount) >= threshold('p90_min_n', 10) then quantile_cont(amount, 0.9) end
