-- Within what counts of equally long buckets stay, as a struct of `low`, `centre` and `high`, if what they count falls into each of
-- them alike: of a hundred such series one has a bucket outside, whether there are few or many. By the binomial distribution of
-- all over the buckets, which is that of Poisson counts whose sum is known. Null below 5 in all: too rare to say.
-- columns:
-- points: the counts, as a list without nulls
create or replace macro count_limits(points) as
  list_transform(
    [{'n': cast(list_sum(points) as bigint), 'buckets': len(points)}],
    lambda given: case when given.n >= 5 and given.buckets >= 2 then struct_pack(
      low := cast(binomial_below(given.n, 1 / given.buckets, tail := 0.005 / given.buckets) + 1 as double),
      centre := given.n / given.buckets,
      high := cast(given.n - 1 - binomial_below(given.n, 1 - 1 / given.buckets, tail := 0.005 / given.buckets) as double)
    ) end
  )[1]
