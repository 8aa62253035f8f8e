-- When a responder first acknowledged an incident. One row per incident that one did.
-- columns:
-- account_id: account of the incident
-- incident_id: key of the incident
-- answered_at: first acknowledgement of any responder who is a person
with
  incident_responders as (select * from incident_responders),
  final as (
    select account_id, incident_id, min(acknowledged_at) as answered_at
    from incident_responders
    where person_id <> 0 and acknowledged_at is not null
    group by account_id, incident_id
  )
select * from final
