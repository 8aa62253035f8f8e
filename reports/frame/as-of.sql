-- What a report has to know before it can say which period it speaks of. Exactly one row. Of several accounts the one
-- that was read longest ago says up to when: what came later is known of some only.
with
  read as (
    select min(as_of_at) as as_of_at from as_of
  ),
  covered as (
    select min(window_start) as first_window from sync_windows where resource = 'incidents' and state = 'done'
  ),
  known as (
    select
      min(start_time) as first_start,
      count(distinct epoch(start_time)::bigint // 86400) as days,
      max(account_time_zone) as account_time_zone
    from incidents
    where deleted_at is null and vanished_at is null
  ),
  beginning as (
    select
      epoch(first_start) - epoch(first_window) as silent_s,
      greatest(86400, (epoch(as_of_at) - epoch(first_start)) / days) as gap_s
    from read, covered, known
  )
select
  read.as_of_at,
  -- Of a company that began later there is nothing to hold it against: a silence that is longer than a week, and than
  -- chance leaves in one of a hundred between days with incidents, is no time without any. What is known begins one
  -- usual gap before the first.
  case
    when silent_s > greatest(7 * 86400, 5 * gap_s) then first_start - to_seconds(gap_s)
    else coalesce(first_window, first_start)
  end as covered_from,
  nullif(known.account_time_zone, '') as account_time_zone
from read, covered, known, beginning
