-- Pages (see responder_pages: assignments, a proxy for pages) in the period they fell in, by the band of the paged
-- person's own day.
-- columns:
-- period_from: parameter: first moment of the period; null is the beginning
-- period_to: parameter: first moment after the period; null is as_of
-- of_incidents: parameter: relation to speak of, with the columns of incident_times; a CTE will do
-- incident_severity: configured severity, or `(all)`
-- team_name: team that owns the channel, `(no channel)`, `(unknown)`, or `(all)`
-- pages: pages in the period
-- people: different people paged
-- work_pages: of them, in the band `work`
-- off_pages: of them, in the band `off`
-- sleep_pages: of them, in the band `sleep`
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
      case when grouping(incident_severity) = 1 then '(all)' else incident_severity end as incident_severity,
      case when grouping(team_name) = 1 then '(all)' else team_name end as team_name,
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
