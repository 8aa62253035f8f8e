-- What of the period was not read: stretches that no window proven complete holds, of any account. One row a stretch,
-- and one without a stretch for an account of which everything was read. None when the warehouse knows no windows.
-- gap_from, gap_to: the stretch, the end exclusive
-- share: of the period, how much was read, 0 to 1, of several accounts the mean; the same in every row
-- read_at: up to when the service's data was read by the last run that read a part of the period; the same in every row
with
  accounts as (
    select
      account_id,
      max(as_of_at) filter (window_start < $period_end and window_end > $period_start) as read_at
    from sync_windows
    join sync_runs using (account_id, run_id)
    where resource = 'incidents' and state = 'done' and window_start is not null
    group by account_id
  ),
  gaps as (
    from unread_within($period_start, $period_end)
  )
select
  gap_from,
  gap_to,
  1 - coalesce((select sum(epoch(gap_to) - epoch(gap_from)) from gaps), 0)
    / nullif((select count(*) from accounts) * (epoch($period_end) - epoch($period_start)), 0) as share,
  (select max(read_at) from accounts) as read_at
from accounts
left join gaps on gaps.account_id is not distinct from accounts.account_id
order by gap_from, gap_to
