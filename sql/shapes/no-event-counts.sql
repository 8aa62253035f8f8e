-- Empty relation with the columns that event_counts expects. Weeks with a count of 0 must be included.
-- columns:
-- series: series of the counts, compared with each other
-- is_touched: the count is of teams that the event affected. The others are the control group
-- week: week counted from the event, below 0 before it
-- n: count
create or replace macro no_event_counts() as table
with
  final as (
    select '' as series, true as is_touched, 0::bigint as week, 0::bigint as n limit 0
  )
select * from final
