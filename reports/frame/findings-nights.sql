-- Candidates of findings: a person who gets far more of a team's night pages, week after week, than an even share among
-- its people. The findings do not name the person. See team_pages and findings.
with
  paged as (
    select team_name, person_id, place, band from scoped_pages_now
  ),
  crews as (
    select team_name, people, night_pages as nights from team_pages(of_pages := 'paged')
  ),
  weeks as (
    select team_name, place, count(*) as n from paged where band = 'sleep' group by all
  ),
  people as (
    select team_name, person_id, count(*) as hits
    from paged
    where band = 'sleep'
    group by all
  ),
  wanted as (
    select
      *,
      hits / nights as share,
      hits >= 10 and people >= 2 and hits * people >= least(2, 0.9 * people) * nights as is_looked_into
    from people
    join crews using (team_name)
  ),
  own as (
    select team_name, person_id, place, count(*) as hits from paged where band = 'sleep' group by all
  ),
  listed as (
    select
      team_name,
      wanted.person_id,
      share_dispersion([list({'hits': coalesce(own.hits, 0), 'n': weeks.n} order by weeks.place)]) as dispersion
    from wanted
    join weeks using (team_name)
    left join own on own.team_name = wanted.team_name and own.person_id = wanted.person_id and own.place = weeks.place
    where is_looked_into
    group by all
  )
select
  'concentrated' as kind,
  'nights' as topic,
  concat_ws(chr(31), 'person', team_name, person_id) as key,
  team_name as "within",
  hits::double as value,
  nights::double as before,
  share * people as estimate,
  wilson_interval(hits, nights).low * people as low,
  wilson_interval(hits, nights).high * people as high,
  case
    when dispersion is not null
      then dispersion_p((hits - nights / people) / sqrt(nights / people * (1 - 1 / people)), dispersion)
    else 1
  end as p,
  hits::double as n,
  true as is_worse,
  people::double as amount
from wanted
left join listed using (team_name, person_id)
