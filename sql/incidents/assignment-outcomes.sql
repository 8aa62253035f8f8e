-- Outcome of each assignment of a person to an incident that was not muted, one row per assignment. It has no response
-- times, because only load is shown per person, never speed.
-- columns:
-- see person_assignments: account_id, incident_id, ordinal, person_id, acknowledged_at
-- incident_severity: configured severity
-- team_name: team that owns the channel, `(no channel)` or `(unknown)`
-- assigned_at: when the person was assigned
-- outcome: `answered` (by this person), `answered_by_others`, `unanswered` (closed unacknowledged), `still_open`
-- member_name: name to show for the member, see person_names
-- is_unanswered: this person did not acknowledge, and the outcome is not `still_open`
with
  incident_times as not materialized (select * from incident_times),
  -- Not materialized, so that DuckDB can push the filters of a query into it.
  person_assignments as not materialized (select * from person_assignments),
  person_names as (select * from person_names),
  -- Usually ack_time shows that someone acknowledged. Other assignments are read only if ack_time is null.
  silent as (
    select account_id, incident_id from incident_times where ack_time is null
  ),
  answered as (
    select distinct account_id, incident_id
    from person_assignments
    semi join silent using (account_id, incident_id)
    where acknowledged_at is not null
  ),
  judged as (
    select
      person_assignments.account_id,
      person_assignments.incident_id,
      person_assignments.ordinal,
      person_assignments.person_id,
      incident_times.incident_severity,
      incident_times.team_name,
      person_assignments.assigned_at,
      person_assignments.acknowledged_at,
      case
        when person_assignments.acknowledged_at is not null then 'answered'
        when incident_times.ack_time is not null or answered.incident_id is not null then 'answered_by_others'
        when incident_times.is_open then 'still_open'
        else 'unanswered'
      end as outcome
    from person_assignments
    join incident_times using (account_id, incident_id)
    left join answered using (account_id, incident_id)
    where not incident_times.is_muted
      and person_assignments.assigned_at is not null
  ),
  final as (
    select
      judged.*,
      coalesce(person_names.person_name, 'person ' || judged.person_id) as member_name,
      judged.outcome in ('answered_by_others', 'unanswered') as is_unanswered
    from judged
    left join person_names
      on person_names.account_id = judged.account_id and person_names.person_id = judged.person_id
  )
select * from final
