-- Within what counts of equally long buckets stay, as a struct of `low`, `centre` and `high`, if what they count falls
-- into each of them alike: of a hundred such series one has a bucket outside, whether there are few or many. By the
-- binomial distribution of all over the buckets, which is that of Poisson counts whose sum is known; where the counts
-- vary more than that, the largest left out so that it does not hide itself, as of so many fewer that come together.
-- Null below 5 in all: too rare to say.
-- columns:
-- points: the counts, as a list without nulls
create or replace macro count_limits(points) as
  list_transform(
    list_transform(
      [{'n': list_sum(points), 'buckets': len(points), 'rest': list_sort(points)[:-2]}],
      lambda given: {
        -- What one storm brought does not say what is usual.
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
