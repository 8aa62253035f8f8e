-- The 95 % interval of the mean of a column, over the rows of a group, as a struct of `low` and `high`; see
-- mean_limits. Null below 20 values.
-- columns:
-- amount: the column; null is left out
-- lowest: the lower end is not below this; null is no such limit
create or replace macro mean_interval(amount, lowest := null) as
  mean_limits(count(amount), avg(amount), stddev_samp(amount), skewness(amount), lowest := lowest)
