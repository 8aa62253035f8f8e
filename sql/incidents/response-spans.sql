-- Times in which people had an incident, one row per person and incident that was assigned to or acknowledged by this
-- person. A span ends at the close, or at as_of while open. Empty and negative spans are excluded. The service does not
-- report when a person stopped earlier, so this is an upper bound.
-- columns:
-- see person_assignments: account_id, incident_id
-- person_id: the member
-- see assignment_outcomes: incident_severity, team_name
-- held_at: first assignment of this person, or the acknowledgement if that was earlier
-- started_at: first acknowledgement of this person, the start of engagement, or null if none
-- ended_at: close_time, or as_of while open
create or replace macro response_spans(of_incidents := 'incident_times') as table
with
  population as (select * from query_table(of_incidents)),
  person_assignments as (select * from person_assignments),
  joined as (
    select
      account_id,
      person_id,
      incident_id,
      least(min(assigned_at), min(acknowledged_at)) as held_at,
      min(acknowledged_at) as started_at
    from person_assignments
    semi join population using (account_id, incident_id)
    where assigned_at is not null or acknowledged_at is not null
    group by all
  ),
  ended as (
    select
      joined.account_id,
      joined.person_id,
      joined.incident_id,
      population.incident_severity,
      population.team_name,
      joined.held_at,
      joined.started_at,
      case when population.is_open then population.as_of_at else population.closed_at end as ended_at
    from joined
    join population using (account_id, incident_id)
  ),
  final as (
    select * replace (case when ended_at > started_at then started_at end as started_at)
    from ended
    where ended_at > held_at
  )
select * from final
