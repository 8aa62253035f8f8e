-- Members that `reporting.automation` lists by id or name. A name matches the members of that name in every account.
-- Empty if no automation is configured.
-- columns:
-- account_id: account of the member
-- member_id: the member
with
  config_automation as (select * from config_automation),
  members as (select * from members),
  final as (
    select distinct members.account_id, members.member_id
    from members
    join config_automation
      on kind = 'member' and (value = cast(members.member_id as varchar) or lower(value) = lower(members.member_name))
  )
select * from final
