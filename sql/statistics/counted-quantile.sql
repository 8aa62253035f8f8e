-- A quantile over the rows of a group whose values are counted, not listed; interpolated linearly, as quantile_cont
-- does.
-- columns:
-- amount: the values, each different
-- reached: how many there are up to this value
-- n: how many there are in all
-- p: which quantile, 0 to 1; 0.5 is the median
create or replace macro counted_quantile(amount, reached, n, p) as
  min(amount) filter (reached > floor((n - 1) * p)) * (1 - ((n - 1) * p - floor((n - 1) * p)))
  + min(amount) filter (reached > ceil((n - 1) * p)) * ((n - 1) * p - floor((n - 1) * p))
