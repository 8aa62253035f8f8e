-- Not one duration, in the shape that duration_figures reads: a relation with these columns is what it has to be given.
-- columns:
-- series: which durations a figure is of, of any type
-- place: week of its period, so that intervals allow for weeks that differ; null takes every duration as independent.
--   Those below 0 are of weeks before it, which only say how much weeks differ
-- seconds: how long; null is left out
-- n: how many are as long; null is one
with
  final as (
    select '' as series, null::bigint as place, 0::double as seconds, 1 as n limit 0
  )
select * from final
