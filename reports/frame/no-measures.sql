-- scoped_measures of a report that reads no measures. Planning incident_measures is expensive even if it has no rows.
select
  account_id,
  incident_id,
  null::map(varchar, double) as measures,
  null::map(varchar, double) as open_measures
from incidents
limit 0
