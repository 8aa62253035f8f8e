-- Empty relation with the columns that event_verdicts expects, as returned by event_times and event_counts.
-- columns:
-- series: the series
-- see event_times: n, n_before, is_few, value, value_before, has_control, ratio, ratio_low, ratio_high
-- see week_steps: weeks, weeks_before, shift, shift_p, step, step_p, trend, trend_p
create or replace macro no_event_changes() as table
with
  final as (
    select
      '' as series, 0::bigint as n, 0::bigint as n_before, false as is_few, 0::double as value,
      0::double as value_before, false as has_control, 0::double as ratio, 0::double as ratio_low,
      0::double as ratio_high, 0::bigint as weeks,
      0::bigint as weeks_before, 0::double as shift, 0::double as shift_p, 0::double as step, 0::double as step_p,
      0::double as trend, 0::double as trend_p
    limit 0
  )
select * from final
