-- Not one count, in the shape that mix_change reads: a relation with these columns is what it has to be given.
-- columns:
-- week: in the order of time
-- part: what it is a count of, such as a severity
-- n: how many; a missing row is none
with
  final as (
    select 0::bigint as week, '' as part, 0::bigint as n limit 0
  )
select * from final
