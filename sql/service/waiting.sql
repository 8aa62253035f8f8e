-- Quarantined records, which the service sent and which failed validation. They are kept until a version of the program
-- accepts them, or a valid copy is received. Figures exclude these records, or use the previous valid copy.
-- columns:
-- id: id used by `faultline quarantine`, the same in every copy of the warehouse and on every day
-- account_id: account that owns the record
-- resource: table that it belongs to
-- operation: API operation that returned it
-- path: dotted path of the first invalid field
-- reason: why it is invalid
-- first_seen_at: when it was first received
-- seen_at: when it was last received
-- times_seen: number of runs that received it
-- run_id: last run that received it
-- request_id: last request that returned it
-- record_key: key of the record, if known
-- payload: the record as received, JSON, untrusted text. For a very large record, only the beginnings of its fields
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
