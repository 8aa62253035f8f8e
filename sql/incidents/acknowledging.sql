-- Accounts whose people acknowledge incidents. Where nobody ever acknowledged one, of 20 or more, acknowledging is not
-- used: no target is held against it, and no incident waits for it.
-- columns:
-- account_id: owning account
with
  incidents as (select * from incidents),
  final as (
    select account_id from incidents group by account_id having count(ack_time) > 0 or count(*) < 20
  )
select * from final
