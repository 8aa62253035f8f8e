-- What the quality of a report's data is judged by. Exactly one row; shares are of the incidents counted.
-- quarantined, records: records that did not fit, a record that came again once, and those that did
-- sync_status, sync_message: how the newest sync ended
-- finished_at: when the sync ended that the data is from, by the clock of the machine that synced
with
  -- Runs of an account are told apart by their numbers: one clock that was wrong would be the newest for ever.
  last_of_each as (
    select * from sync_runs
    where finished_at is not null
    qualify row_number() over (partition by account_id order by run_id desc) = 1
  ),
  newest as (select * from last_of_each order by finished_at desc, run_id desc limit 1),
  read as (
    -- Of several accounts the one that was read longest ago.
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
