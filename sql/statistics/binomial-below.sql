-- The largest number of hits that, or fewer, come at most one time in forty; -1 where even none comes more often. Terms
-- of the binomial distribution are summed from thirty hits and six standard deviations below its mean, where nothing is
-- left of it.
-- columns:
-- trials: how often it could have happened
-- share: how likely each is, above 0 and below 1
-- tail: how often that may come; null is one time in forty
create or replace macro binomial_below(trials, share, tail := null) as
  list_transform(
    -- The least that is likely enough to count.
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
