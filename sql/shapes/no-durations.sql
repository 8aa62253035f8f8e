-- Empty relation with the columns that duration_figures expects.
-- columns:
-- series: series of the duration, of any type
-- place: week of its period, so that CIs allow for overdispersion. Null treats every duration as independent. Weeks
--   below 0 are before the period and only add to the estimate of the variation
-- seconds: duration in seconds, nulls are ignored
-- n: number of equal durations, null for one
create or replace macro no_durations() as table
with
  final as (
    select '' as series, null::bigint as place, 0::double as seconds, 1 as n limit 0
  )
select * from final
