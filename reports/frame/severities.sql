-- Severities of incidents, including undocumented ones.
select distinct incident_severity
from incident_times
where incident_severity <> ''
order by all
