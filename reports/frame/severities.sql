-- The severities that incidents have: those of the service's document, and others.
select distinct incident_severity
from incident_times
where incident_severity <> ''
order by all
