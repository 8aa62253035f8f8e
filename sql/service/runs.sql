-- Every run of the sync; the newest of an account has recency 1. One that never ended was interrupted: a file that can
-- be read is not being written, so no run in it is still running.
-- columns:
-- run_id: key of the run within its account; later runs have greater ones
-- account_id: account it read; null when it failed before it knew
-- account: its present name, else the name it had in the run, else its number
-- recency: 1 is the account's newest run, 2 the one before
-- started_at: when it began
-- finished_at: when it ended; null when it was interrupted
-- status: ok, partial, failed or interrupted
-- as_of_at: everything was read up to this moment; null when it did not get there
-- rows_read: records received
-- rows_written: rows inserted or replaced
-- requests: requests sent
-- throttled: requests the service refused because of its limits
-- seconds: how long it took
-- message: what went wrong; null when nothing did
with
  sync_runs as (select * from sync_runs),
  accounts as (select * from accounts),
  named as (
    select
      sync_runs.*,
      coalesce(accounts.name, sync_runs.account_name, cast(sync_runs.account_id as varchar)) as account
    from sync_runs
    left join accounts using (account_id)
  ),
  final as (
    select
      run_id,
      account_id,
      account,
      row_number() over (partition by account order by run_id desc) as recency,
      started_at,
      finished_at,
      case when status = 'running' then 'interrupted' else status end as status,
      as_of_at,
      rows_read,
      rows_written,
      requests,
      throttled,
      seconds,
      message
    from named
  )
select * from final
