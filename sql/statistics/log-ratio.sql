-- Logarithm of the ratio of a longer to a shorter duration, at least 0. It is infinite if the longer duration is
-- infinite or the shorter one is 0. Null if a duration is unknown.
-- columns:
-- long: the longer duration, may be infinite
-- short: the shorter duration
create or replace macro log_ratio(long, short) as
  case
    when isinf(long) or (short = 0 and long > 0) then cast('infinity' as double)
    when long <= short then 0e0
    else ln(long / short)
  end
