-- Custom durations by name of each incident in the scope and before it. The nulls are placeholders. Structs by name
-- replace them, because lists would use all memory.
-- measures: seconds. open_measures: seconds so far of unfinished durations
select account_id, incident_id, null as measures, null as open_measures
from incident_measures
semi join (
  from cohort_incidents
  where counted_at >= $previous_start::timestamptz - interval 84 day
    and counted_at < $scope_end
) as counted using (account_id, incident_id)
-- The condition is repeated for incidents, because otherwise the durations of all years would be computed. All included
-- incidents began before $scope_end.
where start_time < $scope_end
  and start_time >= '-infinity'::timestamptz
group by account_id, incident_id
