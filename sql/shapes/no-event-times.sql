-- Not one duration beside an event, in the shape that event_times reads: a relation with these columns is what it has
-- to be given.
-- columns:
-- series: which durations are held against each other
-- team_name: whose
-- is_touched: of a team that the event touched; the others are what it is held against
-- week: counted from the event; weeks before it are below 0
-- seconds: how long; of what is not over how old it is
-- is_open: it is not over; null is over
-- n: how many are as long; null is one
with
  final as (
    select
      '' as series, '' as team_name, true as is_touched, 0::bigint as week, 0::double as seconds, false as is_open,
      1 as n
    limit 0
  )
select * from final
