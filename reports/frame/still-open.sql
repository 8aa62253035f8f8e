-- How many incidents from before the end of the period are open now, of the chosen teams and severities.
select count(*) as incidents, count(*) filter (incident_severity = 'Critical') as critical
from incident_times
where is_open
  and start_time < $period_end
  and ($teams::varchar[] is null or list_contains($teams::varchar[], team_name))
  and ($severities::varchar[] is null or list_contains($severities::varchar[], incident_severity))
