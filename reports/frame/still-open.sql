-- What is to be said where the period has no incidents, of the chosen teams and severities.
-- incidents, critical: how many are open now;  since: of these, begun after the period
-- later: how many began after all that the report speaks of, as of a past period
-- came: how many came after the period at all, open or not
select
  count(*) filter (start_time < $scope_end) as incidents,
  count(*) filter (start_time < $scope_end and incident_severity = 'Critical') as critical,
  count(*) filter (start_time >= $period_end and start_time < $scope_end) as since,
  count(*) filter (start_time >= $scope_end) as later,
  (select count(*) from scoped_incidents where period = 'running') as came
from incident_times
where is_open
  and ($teams::varchar[] is null or list_contains($teams::varchar[], team_name))
  and ($severities::varchar[] is null or list_contains($severities::varchar[], incident_severity))
  and has_chosen($dimensions::varchar[], dimensions)
