-- Stretches of a time that were not read: no verified window of the account's incidents holds them. One row per
-- stretch; none where everything was read, or where no windows are known. A week with such a stretch was not read
-- completely. It does not count in any usual rate, expected range, spike, data gap or trend.
-- columns:
-- period_from: parameter: first moment; null is that of the first window
-- period_to: parameter: the moment after the last one; null is the end of the last window
-- account_id: the account
-- gap_from: the stretch begins
-- gap_to: it ends, exclusive
create or replace macro unread_within(period_from := null, period_to := null) as table
with
  reads as (
    select account_id, window_start, window_end
    from sync_windows
    where resource = 'incidents' and state = 'done' and window_start is not null
  ),
  bounds as (
    select
      coalesce(cast(period_from as timestamptz), (select min(window_start) from reads)) as from_at,
      coalesce(cast(period_to as timestamptz), (select max(window_end) from reads)) as to_at
  ),
  -- A window of no length at the end lets the last stretch be found like the others.
  ordered as (
    select account_id, window_start, window_end, from_at from reads cross join bounds where window_start < to_at
    union all
    select distinct account_id, to_at, to_at, from_at from reads cross join bounds
  ),
  reached as (
    select
      *,
      greatest(
        from_at,
        max(window_end) over (
          partition by account_id order by window_start, window_end rows between unbounded preceding and 1 preceding
        )
      ) as reached_at
    from ordered
  ),
  final as (
    select account_id, reached_at as gap_from, window_start as gap_to
    from reached
    -- The data is read up to a second; periods that are not over end a millisecond after it.
    where epoch(window_start) - epoch(reached_at) >= 1
  )
select * from final
