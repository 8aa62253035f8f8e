-- Ranks, counted from 1, of the 95% CI of a quantile, as a struct of `low` and `high`. The value at rank `low` is above
-- the quantile with a probability of at most 1/40, and the value at rank `high` is below it with the same probability,
-- by the exact binomial distribution. Null below 6 values for the median, and below 36 for the 90th percentile, because
-- no such ranks exist. Source: Conover, Practical Nonparametric Statistics, 3rd ed., section 3.2.
-- rule: see quantile_interval
-- columns:
-- n: number of values
-- p: the quantile, 0 to 1, with 0.5 for the median
-- as_of: effective sample size, see effective_n, or null for n
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
