-- Gaps in the period that no verified window of an account includes, one row per gap. An account that was read
-- completely has one row without a gap. Empty if the warehouse has no windows.
-- gap_from, gap_to: the gap, with an exclusive end
-- share: share of the period that was read, 0 to 1, the mean over accounts. The same in every row
-- read_at: as_of of the last run that read a part of the period. The same in every row
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
