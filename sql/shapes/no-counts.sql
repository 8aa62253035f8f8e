-- Empty relation with the columns that mix_change expects.
-- columns:
-- week: number of the week, in order of time
-- part: part of the mix, such as a severity
-- n: count. A missing row is 0
create or replace macro no_counts() as table
with
  final as (
    select 0::bigint as week, '' as part, 0::bigint as n limit 0
  )
select * from final
