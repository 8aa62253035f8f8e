-- Not one week, in the shape that count_candidates reads: a relation with these columns is what it has to be given.
-- columns:
-- period: `current`, `previous` or `earlier`
-- place: week of its period, see week_of_period
-- days: how long it is
with
  final as (
    select '' as period, 0::bigint as place, 0::double as days limit 0
  )
select * from final
