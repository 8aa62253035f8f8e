-- Not one count beside an event, in the shape that event_counts reads: a relation with these columns is what it has to
-- be given, weeks without any included.
-- columns:
-- series: which counts are held against each other
-- is_touched: of the teams that the event touched; the others are what they are held against
-- week: counted from the event; weeks before it are below 0
-- n: how many
with
  final as (
    select '' as series, true as is_touched, 0::bigint as week, 0::bigint as n limit 0
  )
select * from final
