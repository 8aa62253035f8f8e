-- Time from which the incidents of the service are known, one row per account. If a company began to use the service
-- after the start of the data, the gap at the start is not a real period without incidents. The gap is therefore
-- excluded if it is longer than a week and too long to be chance (p below 1%, from the gaps between days with
-- incidents). The known time then begins one mean gap before the first incident.
-- columns:
-- account_id: the account
-- covered_from: first known time
with
  as_of as (select * from as_of),
  incidents as (select * from incidents),
  sync_windows as (select * from sync_windows),
  covered as (
    select account_id, min(window_start) as first_window
    from sync_windows
    where resource = 'incidents' and state = 'done'
    group by account_id
  ),
  beginnings as (
    select
      account_id,
      min(start_time) as first_start,
      count(distinct cast(epoch(start_time) as bigint) // 86400) as days
    from incidents
    where deleted_at is null and vanished_at is null
    group by account_id
  ),
  silences as (
    select
      account_id,
      first_start,
      first_window,
      epoch(first_start) - epoch(first_window) as silent_s,
      greatest(86400, (epoch(as_of_at) - epoch(first_start)) / nullif(days, 0)) as gap_s
    from beginnings
    full join covered using (account_id)
    left join as_of using (account_id)
  ),
  final as (
    select
      account_id,
      case
        when silent_s > greatest(7 * 86400, 5 * gap_s) then first_start - to_seconds(gap_s)
        else coalesce(first_window, first_start)
      end as covered_from
    from silences
    where first_window is not null or first_start is not null
  )
select * from final
