-- Gaps in a time range that were not read, because no verified window of incidents of the account includes them, one
-- row per gap. Empty if everything was read, or if no windows are known. A week with a gap was not read completely, so
-- it is excluded from usual rates, expected ranges, spikes, data gaps and trends.
-- columns:
-- period_from: parameter: start of the range, or null for the start of the first window
-- period_to: parameter: end of the range, exclusive, or null for the end of the last window
-- account_id: the account
-- gap_from: start of the gap
-- gap_to: end of the gap, exclusive
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
  -- An empty window is added at the end, so that the last gap is found like the others.
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
    -- Data is read up to a full second, but periods that are not over end a millisecond later.
    where epoch(window_start) - epoch(reached_at) >= 1
  )
select * from final
