-- The incidents of both periods and since, newest first: the newest $most of them, and after these what else $only
-- (`account/incident`) names.
with
  named as (
    select split_part(id, '/', 1)::bigint as account_id, substr(id, strpos(id, '/') + 1) as incident_id
    from (select unnest($only::varchar[]) as id)
  ),
  wanted as (
    (
      select account_id, incident_id
      from scoped_incidents
      order by start_time desc, account_id, incident_id
      limit $most::bigint
    )
    union
    select account_id, incident_id from named
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
