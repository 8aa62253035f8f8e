-- How many times as long one duration is as a shorter one, as a logarithm of at least 0; endless where there is no end
-- to the one, or the other is 0. Null where one is not known.
-- columns:
-- long: the longer one; may be infinite
-- short: the shorter one
create or replace macro log_ratio(long, short) as
  case
    when isinf(long) or (short = 0 and long > 0) then cast('infinity' as double)
    when long <= short then 0e0
    else ln(long / short)
  end
