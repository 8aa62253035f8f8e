-- Not one weekly figure beside an event, in the shape that week_steps reads: a relation with these columns is what it
-- has to be given.
-- columns:
-- series: which figures are held against each other
-- week: counted from the event; weeks before it are below 0
-- y: the figure of the week
-- noise: its variance if incidents had nothing to do with each other
with
  final as (
    select '' as series, 0::bigint as week, 0::double as y, 0::double as noise limit 0
  )
select * from final
