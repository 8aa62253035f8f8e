-- Gaps in the period that no verified window of an account includes, one row per gap. An account that was read
-- completely has one row without a gap. Empty if the warehouse has no windows.
-- gap_from, gap_to: the gap, with an exclusive end
-- share: share of the period that was read, 0 to 1, the mean over accounts. The same in every row
with
  accounts as (
    select distinct account_id
    from sync_windows
    where resource = 'incidents' and state = 'done' and window_start is not null
  ),
  gaps as (
    from unread_within($period_start, $period_end)
  )
select
  gap_from,
  gap_to,
  1 - coalesce((select sum(epoch(gap_to) - epoch(gap_from)) from gaps), 0)
    / nullif((select count(*) from accounts) * (epoch($period_end) - epoch($period_start)), 0) as share
from accounts
left join gaps on gaps.account_id is not distinct from accounts.account_id
order by gap_from, gap_to
