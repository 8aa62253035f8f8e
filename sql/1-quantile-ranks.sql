-- Between which ranks, counted from 1, the 95 % interval of a quantile lies: n·p ± 1.96·sqrt(n·p·(1-p)), rounded up and
-- kept within 1 and n, as a struct of `low` and `high`. Source: Conover, Practical Nonparametric Statistics, 3rd ed.,
-- section 3.2.
-- columns:
-- n: how many values there are
-- p: which quantile, 0 to 1; 0.5 is the median
create or replace macro quantile_ranks(n, p) as
  struct_pack(
    low := cast(greatest(1, ceil(n * cast(p as double) - z95() * sqrt(n * cast(p as double) * (1 - cast(p as double))))) as bigint),
    high := cast(least(n, ceil(n * cast(p as double) + z95() * sqrt(n * cast(p as double) * (1 - cast(p as double))))) as bigint)
  )
