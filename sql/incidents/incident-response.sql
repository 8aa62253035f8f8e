-- Whom an incident was given to, one row per incident of the base set. The service does not say why somebody was
-- assigned, so it is inferred from the order of times: a person who joins more than 60 s after the first assignment and
-- before anybody acknowledged makes it escalated (as does a present assignment to a later layer of an escalation rule),
-- a person who joins after somebody acknowledged makes it reassigned.
-- columns:
-- account_id: owning account
-- incident_id: key of the incident
-- people: different people assigned
-- first_assigned_at: first assignment; null if none
-- answered_at: first acknowledgement of anybody; null if none
-- first_assignment_delay_s: first_assigned_at - start_time, seconds; null when it is negative
-- is_negative_assignment: assigned before it started; left out of first_assignment_delay_s
-- is_escalated: somebody joined later, before anybody acknowledged
-- is_reassigned: somebody joined after somebody acknowledged
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
