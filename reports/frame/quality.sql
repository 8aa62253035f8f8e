-- Data quality of a report. Exactly one row, with shares of the included incidents.
-- quarantined, records: records rejected by validation (each counted once), and accepted ones
-- sync_status, sync_message: result of the newest sync
-- finished_at: end of the sync that read the data, by the clock of the machine that ran it
with
  -- Runs of an account are ordered by number, because otherwise a run with a wrong clock could remain the newest
  -- forever.
  last_of_each as (
    select * from sync_runs
    where finished_at is not null
    qualify row_number() over (partition by account_id order by run_id desc) = 1
  ),
  newest as (select * from last_of_each order by finished_at desc, run_id desc limit 1),
  read as (
    -- With several accounts, uses the account that was read longest ago.
    select min(finished_at) as finished_at from as_of join sync_runs using (account_id, run_id)
  ),
  counted as (
    select
      count(*) as incidents,
      count(*) filter (is_conflict or is_negative_ack or is_negative_close or is_negative_recover) as conflicts,
      count(*) filter (channel_id is distinct from 0 and team_name = '(unknown)') as unknown_team
    from scoped_incidents
    where period = 'current'
  )
select
  (select count(distinct (resource, coalesce(payload, path))) from quarantine) as quarantined,
  (select count(*) from incidents) as records,
  incidents,
  conflicts,
  unknown_team,
  (select status from newest) as sync_status,
  (select message from newest) as sync_message,
  (select finished_at from read) as finished_at
from counted
