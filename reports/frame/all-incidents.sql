-- The incidents of both periods and since, newest first: those of $only (`account/incident`), or all, $most of either.
with
  wanted as (
    select account_id, incident_id
    from scoped_incidents
    where $only::varchar[] is null or account_id || '/' || incident_id in (select unnest($only::varchar[]))
    order by start_time desc, account_id, incident_id
    limit $most::bigint
  )
select
  account_id,
  incident_id,
  num,
  title,
  incident_severity as severity,
  period,
  week,
  hour,
  start_time,
  closed_at,
  coalesce(ttr_all, survival_s) as lasted_s,
  is_open,
  team_name as team,
  channel_name as channel,
  array_to_string(people, ', ') as holders,
  detail_url
from wanted
join scoped_incidents using (account_id, incident_id)
join scoped_details using (account_id, incident_id)
left join incident_holders(of_incidents := 'wanted') using (account_id, incident_id)
order by start_time desc, account_id, incident_id
