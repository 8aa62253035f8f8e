-- Exact 95% CI of a share (Clopper and Pearson 1934, Biometrika 26, 404-413): the values that the exact binomial test
-- does not reject at 2.5% on each side. The lower limit is the share with P(X ≥ hits) = 1/40, found by Newton's method
-- on its log odds. The upper limit is one minus the lower limit of the misses. Terms of the binomial distribution
-- beyond 30 and eight standard deviations are negligible.
-- columns:
-- hits: number of hits
-- trials: number of trials. The CI is null for 0
create or replace macro exact_interval(hits, trials) as
  list_transform(
    [list_transform(
      [cast(hits as double), cast(trials as double) - hits],
      lambda k: case
        when k = 0 then 0e0
        when k <= trials then 1 / (1 + exp(-list_reduce(
          -- Newton's method starts at the lower limit of Wilson's CI, on the scale of log odds.
          [list_transform(
            [wilson_interval(k - 0.5, trials).low], lambda start: ln(start / (1 - start))
          )[1], 0, 0, 0, 0, 0, 0, 0],
          lambda odds, step: odds - list_transform(
            [1 / (1 + exp(-odds))],
            lambda share: list_transform(
              [list_sum(list_transform(
                range(
                  cast(k as bigint),
                  cast(least(trials, k + 30 + 8 * sqrt(trials * share * (1 - share))) as bigint) + 1
                ),
                lambda j: exp(
                  lgamma(k + 1) + lgamma(trials - k + 1) - lgamma(j + 1) - lgamma(trials - j + 1) + (j - k) * odds
                )
              ))],
              -- `sum` is P(X ≥ k) in units of P(X = k).
              lambda sum: sum / (k * (1 - share)) * (
                ln(40 * sum) + lgamma(trials + 1) - lgamma(k + 1) - lgamma(trials - k + 1)
                + k * ln(share) + (trials - k) * ln(1 - share)
              )
            )[1]
          )[1]
        )))
      end
    )],
    lambda lows: case
      when trials > 0 and lows[1] is not null and lows[2] is not null
        then struct_pack(low := lows[1], high := 1 - lows[2])
    end
  )[1]
