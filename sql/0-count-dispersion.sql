-- How much more counts vary than a Poisson process would let them: Pearson's χ² over its degrees of freedom, each series
-- around its own mean. At least 1; 1 when there is too little to tell. Source: McCullagh and Nelder, Generalized Linear
-- Models, 2nd ed., section 6.2.3.
-- columns:
-- series: lists of counts of equally long buckets, such as the weeks of each period: [[4, 7, 2], [5, 1, 9]]
create or replace macro count_dispersion(series) as
  greatest(1, coalesce(
    list_sum(list_transform(
      list_filter(series, lambda counts: len(counts) >= 2 and list_sum(counts) > 0),
      lambda counts: list_var_samp(counts) * (len(counts) - 1) / list_avg(counts)
    ))
    / list_sum(list_transform(
      list_filter(series, lambda counts: len(counts) >= 2 and list_sum(counts) > 0),
      lambda counts: len(counts) - 1
    )),
    1
  ))
