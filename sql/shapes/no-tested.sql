-- Empty relation with the columns of tested_candidates that the steps of findings expect.
-- columns:
-- see no_candidates: kind, topic, key, parent, within, value, before, n, is_worse, detail, amount, part, is_apart
-- subject: see no_candidates, untrusted text
-- see tested_candidates: is_sure, log_ratio
create or replace macro no_tested() as table
with
  final as (
    select kind, topic, key, parent, subject, "within", value, before, n, is_worse, detail, amount, part,
      is_apart, is_sure, log_ratio
    from tested_candidates()
  )
select * from final
