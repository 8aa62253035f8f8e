-- What the incidents of scoped_incidents, and those of up to 12 weeks before both periods, were to keep: all columns of
-- incident_targets, and:
-- period: as scoped_incidents has it; `earlier` of those before
-- rule: see incident_targets
-- rule: see incident_times.time_to_ack_s
select targets.*, period
from incident_targets(of_incidents := 'scoped_known') as targets
join (select account_id, incident_id, period from scoped_known) using (account_id, incident_id)
