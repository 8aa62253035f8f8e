-- Not one pair of medians, in the shape that duration_changes reads: a relation with these columns is what it can be
-- given.
-- columns:
-- series: which durations they are of, of the type of their series
-- median_s: median of the period by a rule of its own, seconds; null is not reached
-- median_before_s: median of the period before by the same rule, seconds; null is not reached
with
  final as (
    select '' as series, 0::double as median_s, 0::double as median_before_s limit 0
  )
select * from final
