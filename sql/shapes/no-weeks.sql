-- Empty relation with the columns that count_candidates expects as of_weeks.
-- columns:
-- period: `current`, `previous` or `earlier`
-- place: week of its period, see week_of_period
-- days: length of the week in days
create or replace macro no_weeks() as table
with
  final as (
    select '' as period, 0::bigint as place, 0::double as days limit 0
  )
select * from final
