-- Whether a time is in a period, from its first moment up to but not including its end. If an end is null, the period
-- is unlimited on that side. A period with two null ends includes every time, even null.
-- columns:
-- moment: the time to test
-- range_from: first moment of the period, or null if open
-- range_to: first moment after the period, or null if open
create or replace macro is_within(moment, range_from, range_to) as
  (range_from is null or moment >= range_from) and (range_to is null or moment < range_to)
