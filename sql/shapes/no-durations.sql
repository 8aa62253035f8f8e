-- Not one duration, in the shape that duration_figures reads: a relation with these columns is what it has to be given.
-- columns:
-- series: which durations a figure is of, of any type
-- seconds: how long; null is left out
-- n: how many are as long; null is one
with
  final as (
    select '' as series, 0::double as seconds, 1 as n limit 0
  )
select * from final
