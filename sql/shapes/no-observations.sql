-- Empty relation with the columns that duration_changes expects.
-- columns:
-- series: series of the durations, compared with each other
-- is_now: the duration belongs to the current period, not to an earlier time
-- place: week of its period, see week_of_period. Weeks below 0 are before both periods and only add to the baseline and
--   the estimate of the variation
-- see no_event_times: seconds, is_open, n
create or replace macro no_observations() as table
with
  final as (
    select '' as series, true as is_now, 0::bigint as place, 0::double as seconds, false as is_open, 1 as n limit 0
  )
select * from final
