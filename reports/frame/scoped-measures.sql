-- Measures of the configuration, a row for each of an incident that a report speaks of, or of those before both
-- periods; what ends before it begins has none. All columns of incident_measures but start_time and is_wrong:
-- seconds: null while it goes on;  open_s: so far, of what goes on
select m.* exclude (start_time, is_wrong)
from incident_measures m
semi join (select account_id, incident_id from scoped_kept union all select account_id, incident_id from scoped_before)
  as counted using (account_id, incident_id)
where (seconds is not null or open_s is not null)
  -- Said of the incident too, or those of all years would be worked out.
  and start_time < $scope_end
  and ($cohort <> 'started' or start_time >= $previous_start::timestamptz - interval 84 day)
