-- Between which ranks, counted from 1, the 95 % interval of a quantile lies, as a struct of `low` and `high`: of so
-- many values at most one time in forty is the rank of low above the quantile, and at most one in forty that of high
-- below it, by the binomial distribution itself. Null where there is no such rank: for the median below 6 values, for
-- the 90th percentile below 36. Source: Conover, Practical Nonparametric Statistics, 3rd ed., section 3.2.
-- rule: see quantile_interval
-- columns:
-- n: how many values there are
-- p: which quantile, 0 to 1; 0.5 is the median
-- as_of: as many independent ones as they tell, see effective_n; null is all of them
create or replace macro quantile_ranks(n, p, as_of := null) as
  list_transform(
    list_transform(
      [greatest(1, cast(floor(least(n, coalesce(as_of, n))) as bigint))],
      lambda told: {
        'told': told,
        'below': list_transform([cast(p as double), 1 - cast(p as double)], lambda part: binomial_below(told, part))
      }
    ),
    lambda ranks: case when n > 0 and ranks.below[1] >= 0 and ranks.below[2] >= 0 then struct_pack(
      low := cast(floor(ranks.below[1] * n / ranks.told) as bigint) + 1,
      high := cast(ceil((ranks.told - ranks.below[2]) * n / ranks.told) as bigint)
    ) end
  )[1]
