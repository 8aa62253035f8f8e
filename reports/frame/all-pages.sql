-- Rows of page lists, one per page of scoped_pages, with all of its columns except judged. Other columns:
-- severity, team, channel: short names of these columns
-- num, is_open, state, title, detail_url, lasted_s (until closed or as_of): of the incident
-- local_time: time of day where the person is, see page_starts
-- holders: the paged person
select
  pages.* exclude (judged),
  pages.incident_severity as severity,
  pages.team_name as team,
  pages.channel_name as channel,
  num,
  strftime(timezone(pages.time_zone, pages.paged_at), '%H:%M') as local_time,
  is_open,
  incident_state(is_open, is_acknowledged) as state,
  survival_s as lasted_s,
  title,
  detail_url,
  member_name as holders
from scoped_pages as pages
join incident_times using (account_id, incident_id)
where $listed_from::timestamptz is null or paged_at >= $listed_from::timestamptz
