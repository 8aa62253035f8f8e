-- One row that a report needs before it can determine its period. With several accounts, as_of_at is that of the
-- account read longest ago, because later data is incomplete.
select
  (select min(as_of_at) from as_of) as as_of_at,
  (select min(covered_from) from known_since) as covered_from,
  (
    select nullif(max(account_time_zone), '') from incidents where deleted_at is null and vanished_at is null
  ) as account_time_zone
