-- Assignments and escalation of each incident of the base set, one row per incident. The service does not report why
-- someone was assigned, so it is inferred from the times. An incident is escalated if a person joins more than 60 s
-- after the first assignment and before any acknowledgement, or if it is now assigned to a later layer of an escalation
-- rule. It is reassigned if a person joins after the first acknowledgement.
-- columns:
-- account_id: owning account
-- incident_id: key of the incident
-- people: number of people assigned
-- first_assigned_at: first assignment of a person, or null if none
-- answered_at: first acknowledgement by a person, or null if none
-- first_assignment_delay_s: first_assigned_at - start_time in seconds, or null if negative
-- is_negative_assignment: assigned before it started, so first_assignment_delay_s is null
-- is_escalated: a person joined later, before any acknowledgement, or a later layer is assigned
-- is_reassigned: a person joined after the first acknowledgement
with
  incident_times as (select * from incident_times),
  incident_automation as (select * from incident_automation),
  person_assignments as (select * from person_assignments),
  people as (
    select account_id, incident_id, person_id, min(assigned_at) as assigned_at, min(acknowledged_at) as acknowledged_at
    from person_assignments
    where assigned_at is not null
    group by account_id, incident_id, person_id
  ),
  firsts as (
    select
      account_id,
      incident_id,
      count(*) as people,
      min(assigned_at) as first_assigned_at,
      min(acknowledged_at) as acknowledged_at,
      list(assigned_at) as joins
    from people
    group by account_id, incident_id
  ),
  answered as (
    select
      incident_times.account_id,
      incident_times.incident_id,
      coalesce(firsts.people, 0) as people,
      firsts.first_assigned_at,
      least(
        if(did.is_acknowledged_by_automation, null, incident_times.ack_time), firsts.acknowledged_at
      ) as answered_at,
      epoch(firsts.first_assigned_at) - epoch(incident_times.start_time) as delay_s,
      coalesce(firsts.joins, []) as joins,
      coalesce(try_cast(incident_times.assigned_to ->> '$.layer_idx' as bigint), 0) as layer
    from incident_times
    left join firsts using (account_id, incident_id)
    left join incident_automation as did using (account_id, incident_id)
  ),
  final as (
    select
      account_id,
      incident_id,
      people,
      first_assigned_at,
      answered_at,
      case when delay_s >= 0 then delay_s end as first_assignment_delay_s,
      coalesce(delay_s < 0, false) as is_negative_assignment,
      layer > 0 or len(list_filter(
        joins,
        lambda joined: joined > first_assigned_at + interval 60 second
          and joined < coalesce(answered_at, timestamptz 'infinity')
      )) > 0 as is_escalated,
      coalesce(len(list_filter(joins, lambda joined: joined > answered_at)), 0) > 0 as is_reassigned
    from answered
  )
select * from final
