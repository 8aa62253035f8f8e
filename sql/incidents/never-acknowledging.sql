-- Accounts that do not use acknowledging: at least 20 incidents were closed, and nobody ever acknowledged one. They are
-- not judged by acknowledgement targets, and their incidents do not wait for an acknowledgement.
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
