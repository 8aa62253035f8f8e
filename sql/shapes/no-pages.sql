-- Empty relation with the columns that person_load and team_pages accept as of_pages.
-- columns:
-- account_id: account of the member and the incident
-- person_id: the assigned member
-- incident_id: key of the incident
-- team_name: team of the incident
-- band: `work`, `off` or `sleep`
create or replace macro no_pages() as table
with
  final as (
    select 0::bigint as account_id, 0::bigint as person_id, '' as incident_id, '' as team_name, '' as band limit 0
  )
select * from final
