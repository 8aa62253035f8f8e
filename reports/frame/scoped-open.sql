-- Incidents that are open now, of any period, for the chosen teams and severities: all columns of incident_times, and:
-- is_waiting: it is serious, and nobody acknowledged it within its target; what is older than a week waits for no one
--   any more, but for a Critical; what is muted or snoozed waits for nobody
select
  incident_times.*,
  (incident_severity = 'Critical' or (incident_severity = 'Warning' and age_s < 7 * 86400))
    and not is_acknowledged
    and not is_muted
    and (snoozed_before is null or snoozed_before <= as_of_at)
    and age_s > coalesce(ack_target_s, 0) as is_waiting
from incident_times
left join config_targets on config_targets.severity = incident_severity
where is_open
  and ($teams::varchar[] is null or list_contains($teams::varchar[], team_name))
  and ($severities::varchar[] is null or list_contains($severities::varchar[], incident_severity))
order by start_time, incident_id
