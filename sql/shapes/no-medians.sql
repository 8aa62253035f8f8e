-- Empty relation with the columns that duration_changes accepts as of_medians.
-- columns:
-- series: series of the durations, of the same type as there
-- median_s: median of the current period by its own rule in seconds, or null if not reached
-- median_before_s: median of the previous period by the same rule in seconds, or null if not reached
create or replace macro no_medians() as table
with
  final as (
    select '' as series, 0::double as median_s, 0::double as median_before_s limit 0
  )
select * from final
