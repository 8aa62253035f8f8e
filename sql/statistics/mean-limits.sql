-- The 95 % interval of a mean from the moments of a sample, as a struct of `low` and `high`. Student's t after Hall's
-- transformation, which takes the skewness out: times are so skewed that the plain interval of 50 of them holds the
-- mean in 82 to 90 of 100 cases, and this one in 93 to 95. A sample shows less skewness than what it comes from has, so
-- half as much again is taken. Below 20 values nothing holds it often enough: null, as where all are equal. Source:
-- Hall 1992, J. R. Stat. Soc. B 54, 221-228; half as much again by simulation (log-normals of sd 1 to 1.5).
-- rule: see quantile_interval
-- columns:
-- n: how many values
-- average: their mean
-- deviation: their standard deviation, by n - 1
-- skew: their skewness, as skewness() gives it
-- lowest: the lower end is not below this; null is no such limit
create or replace macro mean_limits(n, average, deviation, skew, lowest := null) as
  list_transform(
    [{
      'a': case when n >= 20 and deviation > 0 then if(abs(skew) < 1e-6, 1e-6, skew) / (4 * sqrt(n)) end,
      't': t95(n - 1),
      'error': deviation / sqrt(n),
      'mean': average
    }],
    lambda given: case when given.a is not null then struct_pack(
      -- Rounded: the last digits of a deviation go by the order of the rows.
      low := round(greatest(
        lowest, given.mean - given.error * (cbrt(1 + 6 * given.a * (given.t - given.a)) - 1) / (2 * given.a)
      ), 9),
      high := round(given.mean - given.error * (cbrt(1 - 6 * given.a * (given.t + given.a)) - 1) / (2 * given.a), 9)
    ) end
  )[1]
