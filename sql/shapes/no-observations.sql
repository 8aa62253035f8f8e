-- Not one duration, in the shape that duration_changes reads: a relation with these columns is what it has to be given.
-- columns:
-- series: which durations are compared with each other
-- is_now: of the period in question, not of the one before
-- place: week of its period, see week_of_period
-- seconds: how long; `infinity` while it was open
-- n: how many are as long; null is one
with
  final as (
    select '' as series, true as is_now, 0::bigint as place, 0::double as seconds, 1 as n limit 0
  )
select * from final
