-- Load of each person in a period, with pages as in pages_within. Only load is shown per person, never speed, so there
-- are no times to acknowledge and no ranking.
-- question: Who has how many pages, and who was overloaded?
-- key: account_id, person_id
-- columns:
-- of_pages: parameter: name of a relation of the pages of the period, with the columns of no_pages. Null computes them
-- see person_names: account_id, person_id
-- see assignment_outcomes: member_name
-- team_name: team with most of these pages, or the first by name if several have the same number. Null if pages is 0
-- pages: pages in the period
-- team_mean: mean pages per person of that team
-- page_share: share of the pages of all people, 0 to 1
-- work_pages: pages in the band `work` of the local time of the person
-- off_pages: pages in the band `off`
-- sleep_pages: pages in the band `sleep`
-- incidents: incidents assigned in the period, not muted
-- overloads: incidents with which this person had more than {overload_n} in {overload_within_s}
-- unanswered: assignments in the period that this person did not acknowledge and that are not still open
-- effort_incidents: incidents worked on in the period
-- raw_effort_s: sum of the seconds worked on each of these incidents
-- see response_effort: effort_s
-- effort_share: share of the effort_s of all people, 0 to 1
-- open_s: seconds with at least one open incident assigned to this person
-- cost: hours engaged times the threshold hourly_cost, or null if it is not set
create or replace macro person_load(
  period_from := null, period_to := null, of_incidents := 'incident_times', of_pages := null
) as table
with
  person_names as (select * from person_names),
  population as (select * from query_table(of_incidents)),
  response_effort as (
    select *
    from response_effort(period_from := period_from, period_to := period_to, of_incidents := of_incidents)
  ),
  no_pages as (select * from no_pages()),
  page_starts as (
    select account_id, person_id, incident_id, band from query_table(coalesce(of_pages, 'no_pages'))
    union all
    -- Empty if of_pages is given.
    select account_id, person_id, incident_id, band
    from page_starts(period_from := period_from, period_to := if(of_pages is null, period_to, '-infinity'::timestamptz))
  ),
  paged as (
    select
      page_starts.account_id,
      page_starts.person_id,
      population.team_name,
      count(*) as pages,
      count(*) filter (page_starts.band = 'work') as work_pages,
      count(*) filter (page_starts.band = 'off') as off_pages,
      count(*) filter (page_starts.band = 'sleep') as sleep_pages
    from page_starts
    join population using (account_id, incident_id)
    group by all
  ),
  pages as (
    select
      account_id,
      person_id,
      arg_min(team_name, {'pages': -pages, 'team': team_name}) as team_name,
      sum(pages) as pages,
      sum(work_pages) as work_pages,
      sum(off_pages) as off_pages,
      sum(sleep_pages) as sleep_pages
    from paged
    group by account_id, person_id
  ),
  means as (
    select account_id, team_name, avg(pages) as team_mean from pages group by account_id, team_name
  ),
  given as (
    select account_id, person_id, count(*) as incidents, count(*) filter (is_overload) as overloads
    from load_within(period_from := period_from, period_to := period_to)
    semi join population using (account_id, incident_id)
    group by account_id, person_id
  ),
  answers as (
    select account_id, person_id, count(*) filter (is_unanswered) as unanswered
    from assignment_outcomes
    semi join population using (account_id, incident_id)
    where is_within(assigned_at, period_from, period_to)
    group by account_id, person_id
  ),
  final as (
    select
      account_id,
      person_id,
      coalesce(person_names.person_name, 'person ' || person_id) as member_name,
      pages.team_name,
      coalesce(pages.pages, 0)::bigint as pages,
      means.team_mean,
      coalesce(pages.pages, 0) / nullif((select sum(pages.pages) from pages), 0) as page_share,
      coalesce(pages.work_pages, 0)::bigint as work_pages,
      coalesce(pages.off_pages, 0)::bigint as off_pages,
      coalesce(pages.sleep_pages, 0)::bigint as sleep_pages,
      coalesce(given.incidents, 0) as incidents,
      coalesce(given.overloads, 0) as overloads,
      coalesce(answers.unanswered, 0) as unanswered,
      coalesce(response_effort.incidents, 0) as effort_incidents,
      coalesce(response_effort.raw_effort_s, 0) as raw_effort_s,
      coalesce(response_effort.effort_s, 0) as effort_s,
      coalesce(response_effort.effort_s, 0)
        / nullif((select sum(response_effort.effort_s) from response_effort), 0) as effort_share,
      coalesce(response_effort.open_s, 0) as open_s,
      coalesce(response_effort.effort_s, 0) / 3600 * threshold('hourly_cost', null) as cost
    from pages
    full join given using (account_id, person_id)
    full join answers using (account_id, person_id)
    full join response_effort using (account_id, person_id)
    left join means on means.account_id = pages.account_id and means.team_name = pages.team_name
    left join person_names using (account_id, person_id)
  )
select * from final
