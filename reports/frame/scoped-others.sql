-- Incidents of both periods of the teams that a report about some teams leaves out. The times of its teams are compared
-- with those of the others. Empty for a report about all teams. Columns: see scoped_kept.
select
  team_name,
  if(counted_at < $period_start::timestamptz, 'previous', 'current') as period,
  if(
    counted_at < $period_start::timestamptz,
    week_of_period(counted_at, $previous_start::timestamptz, $period_start::timestamptz),
    week_of_period(counted_at, $period_start::timestamptz, $period_end::timestamptz)
  ) as place,
  incident_severity,
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
  time_to_resolve_s
from cohort_times
left join scoped_answers using (account_id, incident_id)
where not list_contains($teams::varchar[], team_name)
  and counted_at >= $previous_start::timestamptz
  and counted_at < $period_end::timestamptz
  and ($severities::varchar[] is null or list_contains($severities::varchar[], incident_severity))
