-- What members are called wherever a person is named: those who share a name are told apart by their number. Who is not
-- among them, as one that was deleted, is `person 7`.
-- columns:
-- account_id: owning account
-- person_id: the member
-- person_name: `Ada`, and of several `Ada (person 7)`; `person 7` of a member without a name
with
  members as (select * from members),
  final as (
    select
      account_id,
      member_id as person_id,
      case
        when coalesce(member_name, '') = '' then 'person ' || member_id
        when count(*) over (partition by member_name) > 1 then member_name || ' (person ' || member_id || ')'
        else member_name
      end as person_name
    from members
  )
select * from final
