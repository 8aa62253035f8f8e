-- Weeks of both periods, as in week_of_period, and up to 12 weeks before them, if the data reaches back that far.
-- period: `current`, `previous` or `earlier`. place: from 0. days: length in days
-- is_read: the week was read completely, see unread_within. Other weeks are excluded from the baseline
with
  periods as (
    select
      'current' as period,
      epoch($period_start::timestamptz) as from_s,
      epoch($period_end::timestamptz) - epoch($period_start::timestamptz) as seconds
    union all
    select
      'previous',
      epoch($previous_start::timestamptz),
      epoch($period_start::timestamptz) - epoch($previous_start::timestamptz)
  ),
  counted as (
    select *, greatest(1, floor((round(seconds / 86400) + 3) / 7))::bigint as places from periods
  ),
  earlier as (
    select
      greatest(0, least(
        12, floor((epoch($previous_start::timestamptz) - epoch($covered_from::timestamptz)) / 604800)
      ))::bigint as places
  ),
  weeks as (
    select
      period,
      place,
      if(place < places - 1, 7, seconds / 86400 - 7 * (places - 1))::double as days,
      from_s + 604800 * place as from_s
    from counted, range(places) as r (place)
    union all
    select 'earlier', place, 7, epoch($previous_start::timestamptz) - 604800 * (places - place)
    from earlier, range(places) as r (place)
  ),
  gaps as (
    select epoch(gap_from) as gap_from_s, epoch(gap_to) as gap_to_s
    from unread_within($previous_start::timestamptz - interval 84 day, $period_end::timestamptz)
  )
select
  period,
  place,
  days,
  from_s >= epoch($covered_from::timestamptz)
    and not exists (from gaps where gap_from_s < from_s + 86400 * days and gap_to_s > from_s) as is_read
from weeks
order by period, place
