-- 90th percentile of a column with linear interpolation, over the rows of a group. Null below {p90_min_n} values
-- (threshold p90_min_n), because it would be little more than the maximum.
-- rule: Median, p90: computed with linear interpolation. With fewer than {p90_min_n} incidents, there is no p90. Pale
--   or hollow marks and “!” mean a small sample.
-- rule of median, quantile, quantile_cont, quantile_disc: see p90
-- columns:
-- amount: the column, nulls are ignored
create or replace macro p90(amount) as
  case when count(amount) >= threshold('p90_min_n', 10) then quantile_cont(amount, 0.9) end
