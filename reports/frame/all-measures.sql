-- What lists of incidents are of where a report asks for measures of the configuration; `every_incident` is
-- all-incidents. All of its columns, and:
-- measures: seconds by the names of measures;  open_measures: so far, of those that go on
select *
from every_incident
left join (
  select
    account_id,
    incident_id,
    map(list(measure), list(seconds)) as measures,
    map(list(measure), list(open_s)) as open_measures
  from scoped_measures
  group by account_id, incident_id
) as measured using (account_id, incident_id)
