-- The members that `reporting.automation` names as no person, by id or name; a name is that of a member in every
-- account. None where no automation is configured.
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
