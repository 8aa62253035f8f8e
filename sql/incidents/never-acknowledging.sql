-- Accounts that do not use acknowledgement. At least 20 of their incidents were closed, and none was acknowledged.
-- These accounts have no results for acknowledgement targets, and their incidents are not shown as unacknowledged.
-- columns:
-- account_id: owning account
with
  incidents as (select * from incidents),
  final as (
    select account_id
    from incidents
    group by account_id
    having count(ack_time) = 0 and count(*) filter (progress = 'Closed') >= 20
  )
select * from final
