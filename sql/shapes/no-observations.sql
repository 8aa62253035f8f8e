-- Not one duration, in the shape that duration_changes reads: a relation with these columns is what it has to be given.
-- columns:
-- series: which durations are compared with each other
-- is_now: of the period in question, not before it
-- place: week of its period, see week_of_period; weeks before both periods, which only say how much weeks differ and
--   what was usual, are below 0
-- see no_event_times: seconds, is_open, n
with
  final as (
    select '' as series, true as is_now, 0::bigint as place, 0::double as seconds, false as is_open, 1 as n limit 0
  )
select * from final
