-- The moment the figures speak of: up to here the service's data was read. Exactly one row. It is the `as_of_at` of
-- the newest finished run that has one (a run that could not read every window has none), else the newest `updated_at`
-- of any incident, else null. It is never the clock of whoever renders; open incidents are right-censored here.
-- columns:
-- as_of_at: the service's data was read up to this moment; null in an empty warehouse
-- as_of_source: where as_of_at comes from: `sync run`, `newest record`, or null
-- run_id: the run it comes from; null when no run has finished
with
  sync_runs as (select * from sync_runs),
  incidents as (select * from incidents),
  newest_run as (
    select run_id, as_of_at
    from sync_runs
    where finished_at is not null and as_of_at is not null
    order by finished_at desc nulls last, run_id desc
    limit 1
  ),
  newest_record as (
    select max(updated_at) as updated_at from incidents
  ),
  final as (
    select
      coalesce(newest_run.as_of_at, newest_record.updated_at) as as_of_at,
      case
        when newest_run.as_of_at is not null then 'sync run'
        when newest_record.updated_at is not null then 'newest record'
      end as as_of_source,
      newest_run.run_id
    from newest_record
    left join newest_run on true
  )
select * from final
