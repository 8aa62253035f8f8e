-- Pages (see pages_within) in a period, by the band of the local time of the paged person.
-- question: How many pages fall into working hours, the evening and the night?
-- key: incident_severity, team_name
-- columns:
-- see acknowledgement: incident_severity, team_name
-- pages: pages in the period
-- people: number of people paged
-- work_pages: pages in the band `work`
-- off_pages: pages in the band `off`
-- sleep_pages: pages in the band `sleep`
-- sleep_share: sleep_pages / pages, 0 to 1
create or replace macro pages_by_band(
  period_from := null, period_to := null, of_incidents := 'incident_times'
) as table
with
  population as (select * from query_table(of_incidents)),
  pages as (
    select *
    from page_starts(period_from := period_from, period_to := period_to)
    semi join population using (account_id, incident_id)
  ),
  counted as (
    select
      or_all(incident_severity, grouping(incident_severity)) as incident_severity,
      or_all(team_name, grouping(team_name)) as team_name,
      count(*) as pages,
      count(distinct person_id) as people,
      count(*) filter (band = 'work') as work_pages,
      count(*) filter (band = 'off') as off_pages,
      count(*) filter (band = 'sleep') as sleep_pages
    from pages
    group by cube (incident_severity, team_name)
    having count(*) > 0
  ),
  final as (
    select *, sleep_pages / pages as sleep_share from counted
  )
select * from final
