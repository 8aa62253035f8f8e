-- Empty relation with the columns that week_steps expects.
-- columns:
-- series: series of the figures, compared with each other
-- week: week counted from the event, below 0 before it
-- y: figure of the week
-- noise: variance of the figure for independent incidents
create or replace macro no_event_weeks() as table
with
  final as (
    select '' as series, 0::bigint as week, 0::double as y, 0::double as noise limit 0
  )
select * from final
