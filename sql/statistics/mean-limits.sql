-- 95% CI of a mean from the moments of a sample, as a struct of `low` and `high`. It uses Student's t after Hall's
-- transformation, which corrects for skewness. Durations are so skewed that the usual CI from 50 durations covers the
-- mean in only 82 to 90 of 100 cases. This CI covers it in 93 to 95. A sample underestimates skewness, so it is
-- multiplied by 1.5. Null below 20 values, because the coverage is too low, and if all are equal. Source: Hall 1992, J.
-- R. Stat. Soc. B 54, 221-228; the factor 1.5 by simulation (log-normals of sd 1 to 1.5).
-- rule: see quantile_interval
-- columns:
-- n: number of values
-- average: mean of the values
-- deviation: standard deviation, by n - 1
-- skew: skewness, as returned by skewness()
-- lowest: minimum of the lower limit, or null for no minimum
create or replace macro mean_limits(n, average, deviation, skew, lowest := null) as
  list_transform(
    [{
      'a': case when n >= 20 and deviation > 0 then if(abs(skew) < 1e-6, 1e-6, skew) / (4 * sqrt(n)) end,
      't': t95(n - 1),
      'error': deviation / sqrt(n),
      'mean': average
    }],
    lambda given: case when given.a is not null then struct_pack(
      -- Rounded, because the last digits of a deviation depend on the order of rows.
      low := round(greatest(
        lowest, given.mean - given.error * (cbrt(1 + 6 * given.a * (given.t - given.a)) - 1) / (2 * given.a)
      ), 9),
      high := round(given.mean - given.error * (cbrt(1 - 6 * given.a * (given.t + given.a)) - 1) / (2 * given.a), 9)
    ) end
  )[1]
