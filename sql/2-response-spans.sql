-- When people worked on incidents: one row per person and incident, from this person's acknowledgement until the
-- incident was closed, or as_of while it is open. Spans without length, and those that would be negative, are left out.
-- The service does not say when somebody stopped earlier, so this is an upper bound.
-- columns:
-- account_id: owning account
-- person_id: the member who acknowledged
-- incident_id: key of the incident
-- incident_severity: configured severity
-- team_name: team that owns the channel, `(no channel)` or `(unknown)`
-- started_at: this person's first acknowledgement
-- ended_at: close_time, or as_of while it is open
create or replace macro response_spans(of_incidents := 'incident_times') as table
with
  population as (select * from query_table(of_incidents)),
  incident_responders as (select * from incident_responders),
  joined as (
    select account_id, person_id, incident_id, min(acknowledged_at) as started_at
    from incident_responders
    semi join population using (account_id, incident_id)
    where person_id <> 0 and acknowledged_at is not null
    group by all
  ),
  ended as (
    select
      joined.account_id,
      joined.person_id,
      joined.incident_id,
      population.incident_severity,
      population.team_name,
      joined.started_at,
      case when population.is_open then population.as_of_at else population.closed_at end as ended_at
    from joined
    join population using (account_id, incident_id)
  ),
  final as (
    select * from ended where ended_at > started_at
  )
select * from final
