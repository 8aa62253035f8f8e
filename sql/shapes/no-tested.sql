-- Not one tested candidate, in the shape that the steps of findings read: these columns of tested_candidates.
-- columns:
-- kind: see no_candidates
-- topic: see no_candidates
-- key: see no_candidates
-- parent: see no_candidates
-- within: see no_candidates
-- value: see no_candidates
-- before: see no_candidates
-- is_worse: see no_candidates
-- detail: see no_candidates
-- is_apart: see no_candidates
-- is_sure: see tested_candidates
-- log_ratio: see tested_candidates
with
  final as (
    select kind, topic, key, parent, "within", value, before, is_worse, detail, is_apart, is_sure, log_ratio
    from tested_candidates()
  )
select * from final
