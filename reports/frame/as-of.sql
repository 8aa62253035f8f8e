-- What a report has to know before it can say which period it speaks of. Exactly one row. Of several accounts the one
-- that was read longest ago says up to when: what came later is known of some only.
select
  (select min(as_of_at) from as_of) as as_of_at,
  (select min(covered_from) from known_since) as covered_from,
  (
    select nullif(max(account_time_zone), '') from incidents where deleted_at is null and vanished_at is null
  ) as account_time_zone
