-- First answers of people and the actions of automation, for the policy `first_action`.
create or replace temp view scoped_answers as
select
  account_id,
  incident_id,
  answered_at,
  coalesce(is_acknowledged_by_automation, false) as is_acknowledged_by_automation,
  coalesce(is_resolved_by_automation, false) as is_resolved_by_automation
from (select account_id, incident_id, answered_at from first_answers)
full join (
  select account_id, incident_id, is_acknowledged_by_automation, is_resolved_by_automation from incident_automation
) using (account_id, incident_id)
