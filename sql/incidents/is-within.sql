-- Whether a moment lies in a period: from its first moment up to, not including, its end. An end that is null is open,
-- so that a period without ends holds everything, also what has no time.
-- columns:
-- moment: the time asked about
-- range_from: first moment of the period; null is open
-- range_to: first moment after the period; null is open
create or replace macro is_within(moment, range_from, range_to) as
  (range_from is null or moment >= range_from) and (range_to is null or moment < range_to)
