-- Whom incidents were given to, by name: one row per incident that was given to anybody.
-- columns:
-- account_id: owning account
-- incident_id: key of the incident
-- people: names of those assigned, in their order; `person 7` of one whose name is not known
create or replace macro incident_holders(of_incidents := 'incident_times') as table
with
  incident_responders as not materialized (select * from incident_responders),
  members as (select * from members),
  population as (select * from query_table(of_incidents)),
  named as (
    select
      incident_responders.account_id,
      incident_responders.incident_id,
      coalesce(nullif(members.member_name, ''), 'person ' || incident_responders.person_id) as person
    from incident_responders
    semi join population using (account_id, incident_id)
    left join members
      on members.account_id = incident_responders.account_id and members.member_id = incident_responders.person_id
    where incident_responders.person_id <> 0
  ),
  final as (
    select account_id, incident_id, list(distinct person order by person) as people
    from named
    group by account_id, incident_id
  )
select * from final
