-- No rows, for the policies that do not need answers of people, because reading answers is expensive to plan.
create or replace temp view scoped_answers as
select
  account_id,
  incident_id,
  null::timestamptz as answered_at,
  false as is_acknowledged_by_automation,
  false as is_resolved_by_automation
from incidents
limit 0
