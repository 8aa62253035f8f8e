-- Incidents that were requested, newest first, at most 100. They are the incidents of the period (all, or only closed
-- ones), or all open incidents, filtered by a text in the title. The column `matching` is the total number.
with
  asked as (
    select
      account_id, incident_id, num, incident_severity, team_name, channel_name,
      start_time, closed_at, is_open, is_acknowledged, is_muted
    from scoped_incidents
    where period = 'current' and ($state = 'all' or ($state = 'closed' and not is_open))
    union all
    select
      account_id, incident_id, num, incident_severity, team_name, channel_name,
      start_time, closed_at, is_open, is_acknowledged, is_muted
    from scoped_open
    where $state = 'open'
  ),
  found as (
    select asked.*, title, detail_url
    from asked
    join scoped_details using (account_id, incident_id)
    where $text::varchar is null or contains(lower(title), lower($text::varchar))
  )
select
  num,
  incident_severity as severity,
  team_name as team,
  channel_name as channel,
  start_time as started_at,
  closed_at,
  is_open,
  is_acknowledged,
  is_muted,
  title,
  detail_url,
  (select count(*) from found) as matching
from found
order by start_time desc, account_id, incident_id
limit 100
