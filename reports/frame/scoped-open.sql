-- Incidents that are open now, of any period, for the chosen teams and severities: all columns of incident_times.
select *
from incident_times
where is_open
  and ($teams::varchar[] is null or list_contains($teams::varchar[], team_name))
  and ($severities::varchar[] is null or list_contains($severities::varchar[], incident_severity))
order by start_time, incident_id
