-- Assignments and escalations of incidents that were not muted, see incident_response and assignment_outcomes.
-- question: How often is an incident assigned, escalated or reassigned?
-- key: incident_severity, team_name
-- columns:
-- see acknowledgement: incident_severity, team_name, incidents
-- assigned: incidents with an assigned person
-- escalated: a person joined later, before any acknowledgement, or a later layer is assigned
-- reassigned: a person joined after the first acknowledgement
-- assignments: assignments of people
-- unanswered: assignments that the person did not acknowledge and that are not still open
-- escalated_share: escalated / assigned, 0 to 1
-- reassigned_share: reassigned / assigned, 0 to 1
-- unanswered_share: unanswered / assignments, 0 to 1
create or replace macro response_summary(
  started_from := null, started_to := null, of_incidents := 'incident_times'
) as table
with
  population as (
    from incidents_in(of_incidents := of_incidents, started_from := started_from, started_to := started_to)
  ),
  incident_response as (select * from incident_response),
  assignment_outcomes as (select * from assignment_outcomes),
  assignments as (
    select account_id, incident_id, count(*) as assignments, count(*) filter (is_unanswered) as unanswered
    from assignment_outcomes
    group by account_id, incident_id
  ),
  counted as (
    select
      or_all(incident_severity, grouping(incident_severity)) as incident_severity,
      or_all(team_name, grouping(team_name)) as team_name,
      count(*) as incidents,
      count(*) filter (people > 0) as assigned,
      count(*) filter (is_escalated) as escalated,
      count(*) filter (is_reassigned) as reassigned,
      coalesce(sum(assignments), 0) as assignments,
      coalesce(sum(unanswered), 0) as unanswered
    from population
    join incident_response using (account_id, incident_id)
    left join assignments using (account_id, incident_id)
    where not is_muted
    group by cube (incident_severity, team_name)
    having count(*) > 0
  ),
  final as (
    select
      *,
      escalated / nullif(assigned, 0) as escalated_share,
      reassigned / nullif(assigned, 0) as reassigned_share,
      unanswered / nullif(assignments, 0) as unanswered_share
    from counted
  )
select * from final
