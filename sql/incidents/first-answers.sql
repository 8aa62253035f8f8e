-- First acknowledgement of an incident by a person as a responder, one row per incident that has one.
-- columns:
-- account_id: account of the incident
-- incident_id: key of the incident
-- answered_at: first acknowledgement of any responder who is a person, see person_assignments
with
  person_assignments as (select * from person_assignments),
  final as (
    select account_id, incident_id, min(acknowledged_at) as answered_at
    from person_assignments
    where acknowledged_at is not null
    group by account_id, incident_id
  )
select * from final
