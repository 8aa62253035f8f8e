-- The 90th percentile of a column with linear interpolation, over the rows of a group; null below {p90_min_n} values
-- (threshold p90_min_n), where it would be the largest value under another name.
-- rule: Median, p90: linear interpolation; no p90 below {p90_min_n} incidents. What is pale or hollow, or marked !,
--   rests on few incidents.
-- rule of median, quantile, quantile_cont, quantile_disc: see p90
-- columns:
-- amount: the column; null is left out
create or replace macro p90(amount) as
  case when count(amount) >= threshold('p90_min_n', 10) then quantile_cont(amount, 0.9) end
