-- 95% CI of the mean of a column over the rows of a group, as a struct of `low` and `high`, see mean_limits. Null below
-- 20 values.
-- columns:
-- amount: the column, nulls are ignored
-- lowest: minimum of the lower limit, or null for no minimum
create or replace macro mean_interval(amount, lowest := null) as
  mean_limits(count(amount), avg(amount), stddev_samp(amount), skewness(amount), lowest := lowest)
