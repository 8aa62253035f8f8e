-- What lists of pages are of, one row each: those of scoped_pages. All of its columns but judged, and:
-- severity, team, channel: the same by short names
-- num, start_time, is_open, title, detail_url: of the incident;  lasted_s: until it was closed, or so far
-- holders: who was paged
select
  pages.* exclude (judged),
  pages.incident_severity as severity,
  pages.team_name as team,
  pages.channel_name as channel,
  num,
  pages.paged_at as start_time,
  is_open,
  survival_s as lasted_s,
  title,
  detail_url,
  member_name as holders
from scoped_pages as pages
join incident_times using (account_id, incident_id)
where $listed_from::timestamptz is null or paged_at >= $listed_from::timestamptz
