-- Names to show for members. Members who share a name also show their id. A person who is not a member, for example a
-- deleted one, is shown as `person 7`.
-- columns:
-- account_id: owning account
-- person_id: the member
-- person_name: `Ada`, or `Ada (person 7)` if the name is shared, or `person 7` for a member without a name
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
