-- 95% Wilson CI of a rate, as a struct of `low` and `high` between 0 and 1. For 42 of 50 it is 0.71 to 0.92. Null if
-- there are no trials. Source: Wilson 1927, without continuity correction.
-- rule: see quantile_interval
-- columns:
-- see binomial_p: hits, trials
-- z: half-width in standard deviations, or null for z95
create or replace macro wilson_interval(hits, trials, z := null) as
  list_transform(
    list_transform(
      [{'hits': hits, 'n': trials, 'z': coalesce(z, z95())}],
      lambda given: {
        'hits': given.hits,
        'n': given.n,
        'centre': given.hits / given.n + pow(given.z, 2) / (2e0 * given.n),
        'width': given.z
          * sqrt(given.hits / given.n * (1 - given.hits / given.n) / given.n + pow(given.z / (2e0 * given.n), 2)),
        'scale': 1 + pow(given.z, 2) / given.n
      }
    ),
    lambda given: case
      when given.n > 0 then struct_pack(
        -- If there are no hits or only hits, rounding moves the computed limit away from 0 or 1.
        low := if(given.hits = 0, 0.0, greatest(0.0, (given.centre - given.width) / given.scale)),
        high := if(given.hits = given.n, 1.0, least(1.0, (given.centre + given.width) / given.scale))
      )
    end
  )[1]
