-- Freshness and completeness of each resource, one row per account and resource that was read or is in quarantine.
-- columns:
-- account_id: the account
-- account: name of the account, see runs
-- resource: table of the records
-- last_read_at: when a part of the resource was last read completely, or null if no part was
-- windows_not_done: parts that the newest run of the account did not read completely or could not verify
-- windows_accepted: parts of its newest run that were accepted as incomplete (`sync --accept-unproven`)
-- waiting: quarantined records, see waiting
-- private_ids: records that this key may not read. They are requested again each week
with
  runs as (select * from runs where account_id is not null),
  waiting as (select * from waiting),
  sync_windows as (select * from sync_windows),
  sync_checks as (select * from sync_checks),
  reads as (
    select
      runs.account_id,
      sync_windows.resource,
      max(sync_windows.updated_at) filter (sync_windows.state in ('done', 'accepted')) as last_read_at,
      count(*) filter (sync_windows.state not in ('done', 'accepted') and runs.recency = 1) as windows_not_done,
      count(*) filter (sync_windows.state = 'accepted' and runs.recency = 1) as windows_accepted
    from sync_windows
    join runs using (account_id, run_id)
    group by all
  ),
  waits as (
    select account_id, resource, count(*) as waiting from waiting group by all
  ),
  private as (
    select account_id, resource, count(*) as private_ids from sync_checks where is_private group by all
  ),
  final as (
    select
      account_id,
      newest.account,
      resource,
      reads.last_read_at,
      coalesce(reads.windows_not_done, 0) as windows_not_done,
      coalesce(reads.windows_accepted, 0) as windows_accepted,
      coalesce(waits.waiting, 0) as waiting,
      coalesce(private.private_ids, 0) as private_ids
    from reads
    full join waits using (account_id, resource)
    full join private using (account_id, resource)
    left join (select * from runs where recency = 1) as newest using (account_id)
  )
select * from final
