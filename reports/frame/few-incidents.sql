-- The incidents of a period with so few that a report lists them. See `page/few-incidents.ts`.
select
  incident_severity as severity,
  title,
  team_name as team,
  start_time,
  incident_state(is_open, acknowledged) as state,
  time_to_ack_s,
  coalesce(ttr_all, survival_s) as lasted_s,
  is_open,
  detail_url
from scoped_incidents
join scoped_details using (account_id, incident_id)
where period = 'current'
order by severity_rank(incident_severity), start_time, account_id, incident_id
