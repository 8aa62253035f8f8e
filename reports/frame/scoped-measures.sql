-- Of each incident that a report speaks of, and of those before, the measures of the configuration by name, and those
-- that go on. What stands for the figures here is put in by their names, as structs: lists would take all memory that
-- there is.
-- measures: seconds;  open_measures: so far, of what goes on
select account_id, incident_id, null as measures, null as open_measures
from incident_measures
semi join (
  from cohort_incidents
  where counted_at >= $previous_start::timestamptz - interval 84 day
    and counted_at < $scope_end
) as counted using (account_id, incident_id)
-- Said of the incident too, or those of all years would be worked out: all that are counted began before.
where start_time < $scope_end
  and start_time >= '-infinity'::timestamptz
group by account_id, incident_id
