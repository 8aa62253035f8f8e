-- Quantile over the rows of a group that has one row per distinct value with cumulative counts. It interpolates
-- linearly like quantile_cont.
-- columns:
-- amount: the values, all distinct
-- reached: number of values up to and including this one
-- n: total number of values
-- p: the quantile, 0 to 1, with 0.5 for the median
create or replace macro counted_quantile(amount, reached, n, p) as
  min(amount) filter (reached > floor((n - 1) * p)) * (1 - ((n - 1) * p - floor((n - 1) * p)))
  + min(amount) filter (reached > ceil((n - 1) * p)) * ((n - 1) * p - floor((n - 1) * p))
