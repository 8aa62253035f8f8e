-- Expected range of counts in buckets of equal length, as a struct of `low`, `centre` and `high`, if events fall into
-- all buckets with the same probability. One in a hundred such series has a bucket outside of the range, regardless of
-- the length of the series. The limits are binomial for the total over the buckets, which is the distribution of
-- Poisson counts with a known sum. For overdispersed counts the total is divided by the dispersion, which is estimated
-- without the largest count so that a spike does not hide itself. Null if the total is below 5.
-- columns:
-- points: list of counts, without nulls
create or replace macro count_limits(points) as
  list_transform(
    list_transform(
      [{'n': list_sum(points), 'buckets': len(points), 'rest': list_sort(points)[:-2]}],
      lambda given: {
        -- One spike must not raise the expected range.
        'n': case when given.n >= 5 then least(given.n, ceil(list_avg(given.rest) * given.buckets + sqrt(given.n))) end,
        'buckets': given.buckets,
        'together': greatest(1e0, coalesce(list_sum(list_transform(
          given.rest, lambda one: pow(one - list_avg(given.rest), 2) / nullif(list_avg(given.rest), 0)
        )) / nullif(given.buckets - 2, 0), 1))
      }
    ),
    lambda given: case when given.n >= 5 and given.buckets >= 2 then struct_pack(
      low := given.together * (
        binomial_below(
          greatest(1, cast(round(given.n / given.together) as bigint)),
          1 / given.buckets,
          tail := 0.005 / given.buckets
        ) + 1
      ),
      centre := given.n / given.buckets,
      high := given.together * (
        greatest(1, cast(round(given.n / given.together) as bigint)) - 1
          - binomial_below(
            greatest(1, cast(round(given.n / given.together) as bigint)),
            1 - 1 / given.buckets,
            tail := 0.005 / given.buckets
          )
      )
    ) end
  )[1]
