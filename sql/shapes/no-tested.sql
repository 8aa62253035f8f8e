-- Not one tested candidate, in the shape that the steps of findings read: these columns of tested_candidates.
-- columns:
-- see no_candidates: kind, topic, key, parent, within, value, before, is_worse, detail, is_apart
-- see tested_candidates: is_sure, log_ratio
with
  final as (
    select kind, topic, key, parent, "within", value, before, is_worse, detail, is_apart, is_sure, log_ratio
    from tested_candidates()
  )
select * from final
