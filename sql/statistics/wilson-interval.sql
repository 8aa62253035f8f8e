-- 95% Wilson CI of a rate, as a struct of `low` and `high` between 0 and 1. For 42 of 50 it is 0.71 to 0.92. Null if
-- there are no trials. Source: Wilson 1927, without continuity correction.
-- rule: see quantile_interval
-- columns:
-- see binomial_p: hits, trials
-- z: half-width in standard deviations, or null for z95
create or replace macro wilson_interval(hits, trials, z := null) as
  case
    when trials > 0 then struct_pack(
      -- Without hits, or with only hits, the computed limit differs from 0 or 1 in the last digit.
      low := if(hits = 0, 0.0, greatest(
        0.0,
        (hits / trials + pow(coalesce(z, z95()), 2) / (2 * trials)
          - coalesce(z, z95())
            * sqrt(hits / trials * (1 - hits / trials) / trials + pow(coalesce(z, z95()) / (2 * trials), 2)))
        / (1 + pow(coalesce(z, z95()), 2) / trials)
      )),
      high := if(hits = trials, 1.0, least(
        1.0,
        (hits / trials + pow(coalesce(z, z95()), 2) / (2 * trials)
          + coalesce(z, z95())
            * sqrt(hits / trials * (1 - hits / trials) / trials + pow(coalesce(z, z95()) / (2 * trials), 2)))
        / (1 + pow(coalesce(z, z95()), 2) / trials)
      ))
    )
  end
