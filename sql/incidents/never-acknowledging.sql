-- Accounts that do not use acknowledging: 20 incidents or more were closed, and nobody ever acknowledged one. No target
-- is held against that, and no incident waits for it.
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
