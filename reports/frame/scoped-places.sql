-- The weeks of both periods, as week_of_period counts them, and up to 12 before them, as far as the data reaches.
-- period: `current`, `previous` or `earlier`;  place: from 0;  days: how many it has
with
  periods as (
    select 'current' as period, epoch($period_end::timestamptz) - epoch($period_start::timestamptz) as seconds
    union all
    select 'previous', epoch($period_start::timestamptz) - epoch($previous_start::timestamptz)
  ),
  counted as (
    select *, greatest(1, floor((round(seconds / 86400) + 3) / 7))::bigint as places from periods
  )
select
  period,
  place,
  if(place < places - 1, 7, seconds / 86400 - 7 * (places - 1))::double as days
from counted, range(places) as r (place)
union all
select 'earlier', place, 7
from range(greatest(0, least(
  12, floor((epoch($previous_start::timestamptz) - epoch($covered_from::timestamptz)) / 604800)
))::bigint) as r (place)
order by period, place
