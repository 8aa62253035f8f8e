-- Largest number of hits k for which P(X ≤ k) is at most `tail` (1/40 by default). It is -1 if even P(X = 0) is larger.
-- The terms of the binomial distribution are summed from 30 hits and six standard deviations below its mean, because
-- terms below that are negligible.
-- columns:
-- trials: number of trials
-- share: probability of a hit, above 0 and below 1
-- tail: the largest tail probability, or null for 1/40
create or replace macro binomial_below(trials, share, tail := null) as
  list_transform(
    -- Smallest k whose term is not negligible.
    [cast(ceil(greatest(
      0, trials * cast(share as double) - 30 - 6 * sqrt(trials * cast(share as double) * (1 - share))
    )) as bigint)],
    lambda least: list_reduce(
      list_prepend(
        {'hits': least - 1, 'term': 0e0, 'tail': 0e0},
        list_transform(range(least, cast(trials * cast(share as double) as bigint) + 1), lambda k: {
          'hits': 0::bigint,
          'term': exp(
            lgamma(trials + 1) - lgamma(k + 1) - lgamma(trials - k + 1) + k * ln(share) + (trials - k) * ln(1 - share)
          ),
          'tail': 0e0
        })
      ),
      lambda sum, one: {
        'hits': sum.hits + if(sum.tail + one.term <= coalesce(tail, 0.025), 1, 0),
        'term': 0e0,
        'tail': sum.tail + one.term
      }
    ).hits
  )[1]
