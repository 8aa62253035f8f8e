-- Not one change since an event, in the shape that event_verdicts reads: a relation with these columns, as event_times
-- and event_counts give them, is what it has to be given.
-- columns:
-- series: which of them
-- n: see event_times
-- n_before: see event_times
-- is_few: see event_times
-- value: see event_times
-- value_before: see event_times
-- has_control: see event_times
-- ratio: see event_times
-- ratio_low: see event_times
-- ratio_high: see event_times
-- weeks: see week_steps
-- weeks_before: see week_steps
-- shift: see week_steps
-- shift_p: see week_steps
-- step: see week_steps
-- step_p: see week_steps
-- trend: see week_steps
-- trend_p: see week_steps
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
