-- Empty relation with the columns that event_times expects.
-- columns:
-- series: series of the durations, compared with each other
-- team_name: team of the incident
-- is_touched: the event affected the team. The others are the control group
-- week: week counted from the event, below 0 before it
-- seconds: duration in seconds, or the age if it is still open
-- is_open: still open, null for no
-- n: number of equal durations, null for one
create or replace macro no_event_times() as table
with
  final as (
    select
      '' as series, '' as team_name, true as is_touched, 0::bigint as week, 0::double as seconds, false as is_open,
      1 as n
    limit 0
  )
select * from final
