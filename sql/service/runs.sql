-- All runs of the sync, with recency 1 for the newest of an account. A run that never ended was interrupted. It cannot
-- still be running, because a file that can be read is not being written.
-- columns:
-- run_id: key of the run within its account. Later runs have greater ids
-- account_id: account that the run read, or null if it failed before the account was known
-- account: current name of the account, else its name in the run, else its id
-- recency: 1 for the newest run of the account, 2 for the one before
-- started_at: start of the run
-- finished_at: end of the run, or null if it was interrupted
-- status: ok, partial, failed or interrupted
-- as_of_at: everything was read up to this time, or null if the run was not complete
-- rows_read: records received
-- rows_written: rows inserted or replaced
-- requests: requests sent
-- throttled: requests that the service refused because of its limits
-- seconds: duration of the run in seconds
-- message: error message, or null if none
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
