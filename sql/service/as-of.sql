-- Time up to which the data of the service was read, one row per account. It is the `as_of_at` of the newest finished
-- run that has one (only runs that read every window have one), or else the newest `updated_at` of its incidents, or
-- else null. It never depends on the clock of the reader. Open incidents are right-censored at this time.
-- rule: As of: when the data was read. Open incidents are observed until then. Weeks start on Monday, local time.
-- columns:
-- account_id: the account
-- as_of_at: data was read up to this time, or null if no read was complete
-- as_of_source: source of as_of_at, `sync run`, `newest record`, or null
-- run_id: run that it comes from, or null if no run of the account has finished
with
  sync_runs as (select * from sync_runs),
  incidents as (select * from incidents),
  newest_run as (
    select account_id, run_id, as_of_at
    from sync_runs
    where finished_at is not null and as_of_at is not null
    -- Ordered by number, because the end time comes from the clock of a machine, which may be wrong by years.
    qualify row_number() over (partition by account_id order by run_id desc) = 1
  ),
  newest_record as (
    select account_id, max(updated_at) as updated_at from incidents group by account_id
  ),
  accounts as (
    select account_id from sync_runs
    union
    select account_id from newest_record
  ),
  moments as (
    select
      account_id,
      coalesce(newest_run.as_of_at, newest_record.updated_at) as as_of_at,
      case
        when newest_run.as_of_at is not null then 'sync run'
        when newest_record.updated_at is not null then 'newest record'
      end as as_of_source,
      newest_run.run_id
    from accounts
    left join newest_run using (account_id)
    left join newest_record using (account_id)
    where account_id is not null
  ),
  -- Uses one list, so that the planner knows that there are few accounts. In a lake, it would otherwise estimate one
  -- account per incident and hold all incidents in memory for the join.
  listed as (
    select list(moments) as accounts from moments
  ),
  final as (
    select unnest(accounts, recursive := true) from listed
  )
select * from final
