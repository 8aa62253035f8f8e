-- Names of the people that each incident was assigned to, one row per incident with an assignment.
-- columns:
-- see person_assignments: account_id, incident_id
-- people: names of the assigned people in alphabetical order, see person_names
create or replace macro incident_holders(of_incidents := 'incident_times') as table
with
  person_assignments as not materialized (select * from person_assignments),
  person_names as (select * from person_names),
  population as (select * from query_table(of_incidents)),
  named as (
    select
      person_assignments.account_id,
      person_assignments.incident_id,
      coalesce(person_names.person_name, 'person ' || person_assignments.person_id) as person
    from person_assignments
    semi join population using (account_id, incident_id)
    left join person_names
      on person_names.account_id = person_assignments.account_id
      and person_names.person_id = person_assignments.person_id
  ),
  final as (
    select account_id, incident_id, list(distinct person order by person) as people
    from named
    group by account_id, incident_id
  )
select * from final
