-- Two-sided p value of the exact binomial test, which is twice the smaller tail and at most 1. Null above 2,000 trials,
-- where the normal distribution gives the same result.
-- columns:
-- hits: number of hits
-- trials: number of trials
-- share: probability of a hit
create or replace macro binomial_p(hits, trials, share) as
  case
    when trials = 0 then 1e0
    when trials <= 2000 then least(1, 2 * least(
      list_sum(list_transform(range(0, cast(hits as bigint) + 1), lambda k: exp(
        lgamma(trials + 1) - lgamma(k + 1) - lgamma(trials - k + 1) + k * ln(share) + (trials - k) * ln(1 - share)
      ))),
      list_sum(list_transform(range(cast(hits as bigint), cast(trials as bigint) + 1), lambda k: exp(
        lgamma(trials + 1) - lgamma(k + 1) - lgamma(trials - k + 1) + k * ln(share) + (trials - k) * ln(1 - share)
      )))
    ))
  end
