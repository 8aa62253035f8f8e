-- Assignments of people to incidents: the rows of incident_responders for members that are not automation. All metrics
-- of load and response per person read this relation.
-- columns:
-- see incident_changes: account_id, incident_id
-- ordinal: position in the list of responders
-- person_id: the assigned member
-- assigned_at: when the person was assigned, or null if unknown
-- acknowledged_at: when this person acknowledged, or null if not
with
  incident_responders as not materialized (select * from incident_responders),
  automation_members as (select * from automation_members),
  final as (
    select
      incident_responders.account_id,
      incident_responders.incident_id,
      incident_responders.ordinal,
      incident_responders.person_id,
      incident_responders.assigned_at,
      incident_responders.acknowledged_at
    from incident_responders
    anti join automation_members
      on automation_members.account_id = incident_responders.account_id
      and automation_members.member_id = incident_responders.person_id
    where incident_responders.person_id <> 0
  )
select * from final
