-- Between which ranks, counted from 1, the 95 % interval of a quantile lies, as a struct of `low` and `high`: of so
-- many values at most one time in forty is the rank of low above the quantile, and at most one in forty that of high
-- below it, by the binomial distribution itself. Null where there is no such rank: for the median below 6 values, for
-- the 90th percentile below 36. Source: Conover, Practical Nonparametric Statistics, 3rd ed., section 3.2.
-- rule: see quantile_interval
-- columns:
-- n: how many values there are
-- p: which quantile, 0 to 1; 0.5 is the median
create or replace macro quantile_ranks(n, p) as
  list_transform(
    [{'low': binomial_below(n, p), 'high': n - binomial_below(n, 1 - cast(p as double))}],
    lambda ranks: case
      when ranks.low >= 0 and ranks.high <= n then struct_pack(low := ranks.low + 1, high := ranks.high)
    end
  )[1]
