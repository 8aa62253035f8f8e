-- Incidents of the months of scoped_months, for the selected teams and severities, one row each. Join them `using
-- (month)`.
-- month, incident_severity, is_open, muted, tta, ttr: as in scoped_incidents
with
  cohort_times as (select * from cohort_times),
  first_answers as (select * from first_answers),
  incident_automation as (select * from incident_automation),
  answers as (
    from first_answers where $ack_policy = 'first_action'
  ),
  automated as (
    from incident_automation where $ack_policy = 'first_action'
  )
select
  date_trunc('month', timezone($timezone, counted_at))::date as month,
  incident_severity,
  is_open,
  is_muted as muted,
  seconds_to_answer(
    start_time,
    ack_by_policy(
      $ack_policy,
      if(automated.is_acknowledged_by_automation, null, ack_time),
      answers.answered_at,
      closed_at,
      if(automated.is_resolved_by_automation, 0, closer_id)
    ),
    is_muted
  ) as tta,
  time_to_resolve_s as ttr
from cohort_times
left join answers using (account_id, incident_id)
left join automated using (account_id, incident_id)
where counted_at >= (select timezone($timezone, min(month)::timestamp) from scoped_months)
  and counted_at < $scope_end
  and ($teams::varchar[] is null or list_contains($teams::varchar[], team_name))
  and ($severities::varchar[] is null or list_contains($severities::varchar[], incident_severity))
