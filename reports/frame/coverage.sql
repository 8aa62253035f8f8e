-- What of the period was not read: stretches that no window proven complete holds, of any account. One row a stretch,
-- and one without a stretch for an account of which everything was read. None when the warehouse knows no windows.
-- gap_from, gap_to: the stretch, the end exclusive
-- share: of the period, how much was read, 0 to 1, of several accounts the mean; the same in every row
-- read_at: up to when the service's data was read by the last run that read a part of the period; the same in every row
with
  reads as (
    select sync_runs.account_id, window_start, window_end, as_of_at
    from sync_windows
    join sync_runs using (account_id, run_id)
    where resource = 'incidents' and state = 'done' and window_start is not null
  ),
  accounts as (
    select
      account_id,
      max(as_of_at) filter (window_start < $period_end and window_end > $period_start) as read_at
    from reads
    group by account_id
  ),
  -- A window of no length at the end lets the last stretch be found like the others.
  ordered as (
    select account_id, window_start, window_end from reads where window_start < $period_end
    union all
    select account_id, $period_end, $period_end from accounts
  ),
  reached as (
    select
      *,
      greatest(
        $period_start,
        max(window_end) over (
          partition by account_id order by window_start, window_end rows between unbounded preceding and 1 preceding
        )
      ) as reached_at
    from ordered
  ),
  gaps as (
    select account_id, coalesce(reached_at, $period_start) as gap_from, window_start as gap_to
    from reached
    where window_start > coalesce(reached_at, $period_start)
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
