-- Incidents of the months of scoped_months, for the selected teams and severities, one row each. Join them `using
-- (month)`.
-- month, incident_severity, is_open, muted, tta, ttr: as in scoped_incidents
with
  cohort_times as (select * from cohort_times),
  scoped_answers as (select * from scoped_answers)
select
  date_trunc('month', timezone($timezone, counted_at))::date as month,
  incident_severity,
  is_open,
  is_muted as muted,
  seconds_to_answer(
    start_time,
    ack_by_policy(
      $ack_policy,
      if(is_acknowledged_by_automation, null, ack_time),
      answered_at,
      closed_at,
      if(is_resolved_by_automation, 0, closer_id)
    ),
    is_muted
  ) as tta,
  time_to_resolve_s as ttr
from cohort_times
left join scoped_answers using (account_id, incident_id)
where counted_at >= (select timezone($timezone, min(month)::timestamp) from scoped_months)
  and counted_at < $scope_end
  and ($teams::varchar[] is null or list_contains($teams::varchar[], team_name))
  and ($severities::varchar[] is null or list_contains($severities::varchar[], incident_severity))
