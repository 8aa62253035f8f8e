-- What a report has to know before it can say which period it speaks of. Exactly one row. Of several accounts the one that
-- was read longest ago says up to when: what came later is known of some only.
with
  read as (
    select min(as_of_at) as as_of_at from as_of
  ),
  covered as (
    select min(window_start) as first_window from sync_windows where resource = 'incidents' and state = 'done'
  ),
  known as (
    select min(start_time) as first_start, max(account_time_zone) as account_time_zone
    from incidents
    where deleted_at is null and vanished_at is null
  )
select
  read.as_of_at,
  coalesce(covered.first_window, known.first_start) as covered_from,
  nullif(known.account_time_zone, '') as account_time_zone
from read, covered, known
