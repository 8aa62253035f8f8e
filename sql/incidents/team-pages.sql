-- Pages of a period by team, and the people who share them, one row per team with pages.
-- rule: People of a team: its members, and everybody else who was paged for its incidents in the period.
-- columns:
-- of_pages: parameter: name of a relation of the pages of the period, with the columns of no_pages
-- team_name: team that owns the channel of the incident
-- pages: pages in the period
-- night_pages: pages in the band `sleep` of the local time of the person
-- people: number of people of the team, including members who were not paged
-- night_pages_each: night_pages / people, with one decimal
create or replace macro team_pages(of_pages := 'no_pages') as table
with
  no_pages as (select * from no_pages()),
  paged as (select * from query_table(of_pages)),
  members as (
    select team_name, person_id
    from teams
    join team_members using (account_id, team_id)
    where teams.vanished_at is null
    union
    select team_name, person_id from paged
  ),
  counted as (
    select team_name, count(*) as pages, count(*) filter (band = 'sleep') as night_pages from paged group by team_name
  ),
  crews as (
    select team_name, count(*) as people from members group by team_name
  ),
  final as (
    select *, round(night_pages / people, 1) as night_pages_each from counted join crews using (team_name)
  )
select * from final
