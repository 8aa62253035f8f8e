-- Counts for a person, by name. Times, verdicts and ranks are never shown per person.
-- people: members with that name. incidents, pages, pages_at_night: in the period, see person_load
-- open_now: open incidents assigned to the person
with
  people as (select account_id, member_id as person_id from members where member_name = $person),
  load as (
    from person_load(
      period_from := $period_start, period_to := $period_end, of_incidents := 'scoped_incidents',
      of_pages := 'scoped_pages_now'
    )
    semi join people using (account_id, person_id)
  ),
  held as (
    select distinct account_id, incident_id
    from person_assignments
    semi join people using (account_id, person_id)
    semi join scoped_open using (account_id, incident_id)
  )
select
  (select count(*) from people) as people,
  coalesce(sum(incidents), 0) as incidents,
  coalesce(sum(pages), 0) as pages,
  coalesce(sum(sleep_pages), 0) as pages_at_night,
  (select count(*) from held) as open_now
from load
