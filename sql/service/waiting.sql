-- Records the service sent that do not fit its contract and wait in quarantine: for a program they fit, or for a good
-- copy. They are in no figure, or as they were before.
-- columns:
-- id: what `faultline quarantine` calls it: the same in every copy of the warehouse, and on every day
-- account_id: account that owns the record
-- resource: table it would be in
-- operation: operation that answered with it
-- path: dotted path of the first field that does not fit
-- reason: why it does not fit
-- first_seen_at: when it came first
-- seen_at: when it came last
-- times_seen: runs it came in
-- run_id: last run it came in
-- request_id: last request that brought it
-- record_key: its key, where it is known
-- payload: the record as it came, JSON, of a very large one the beginnings of its fields; hostile text
with
  quarantine as (select * from quarantine),
  final as (
    select
      left(sha256(concat(account_id, ' ', resource, ' ', coalesce(payload, 'null'))), 10) as id,
      account_id,
      resource,
      operation,
      path,
      reason,
      coalesce(first_seen_at, seen_at) as first_seen_at,
      seen_at,
      coalesce(times_seen, 1) as times_seen,
      run_id,
      request_id,
      record_key,
      payload
    from quarantine
  )
select * from final
