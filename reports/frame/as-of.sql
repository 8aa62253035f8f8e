-- What a report has to know before it can say which period it speaks of. Exactly one row.
with
  covered as (
    select min(window_start) as first_window from sync_windows where resource = 'incidents' and state = 'done'
  ),
  known as (
    select min(start_time) as first_start, max(account_time_zone) as account_time_zone from incident_times
  )
select
  as_of.as_of_at,
  as_of.as_of_source,
  coalesce(covered.first_window, known.first_start) as covered_from,
  nullif(known.account_time_zone, '') as account_time_zone
from as_of, covered, known
