-- Assignments of people to incidents: those of incident_responders that name a member who is no automation. Whatever is
-- said of people, what they carry and when they answered, reads these.
-- columns:
-- see incident_changes: account_id, incident_id
-- ordinal: place in the incident's list of responders
-- person_id: the member assigned
-- assigned_at: when; null if unknown
-- acknowledged_at: when this person acknowledged; null if not
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
