-- The largest number of hits that, or fewer, come at most one time in forty; -1 where even none comes more often. Terms of the
-- binomial distribution are summed from thirty hits and six standard deviations below its mean, where nothing is left of it.
-- columns:
-- trials: how often it could have happened
-- share: how likely each is, above 0 and below 1
-- tail: how often that may come; null is one time in forty
create or replace macro binomial_below(trials, share, tail := null) as
  list_transform(
    -- Each is bound once: a macro writes what it is given wherever it is named.
    list_transform(
      [{'n': trials, 'p': cast(share as double), 'tail': coalesce(tail, 0.025)}],
      lambda given: struct_insert(
        given, first := cast(ceil(greatest(0, given.n * given.p - 30 - 6 * sqrt(given.n * given.p * (1 - given.p)))) as bigint)
      )
    ),
    lambda given: list_reduce(
      list_transform(
        range(given.first, cast(given.n * given.p as bigint) + 1),
        lambda k: {
          'hits': 0::bigint,
          'tail': exp(
            lgamma(given.n + 1) - lgamma(k + 1) - lgamma(given.n - k + 1) + k * ln(given.p) + (given.n - k) * ln(1 - given.p)
          )
        }
      ),
      lambda sum, one: {
        'hits': sum.hits + cast(sum.tail + one.tail <= given.tail as bigint),
        'tail': sum.tail + one.tail
      },
      {'hits': given.first - 1, 'tail': 0e0}
    ).hits
  )[1]
