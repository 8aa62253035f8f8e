-- The incidents of both periods and since, newest first: those of $only (`account/incident`), or all up to the limit.
with
  holders as (
    select
      r.account_id,
      r.incident_id,
      string_agg(distinct coalesce(nullif(m.member_name, ''), 'person ' || r.person_id), ', ' order by coalesce(nullif(m.member_name, ''), 'person ' || r.person_id)) as holders
    from incident_responders r
    left join members m on m.account_id = r.account_id and m.member_id = r.person_id
    where r.person_id <> 0
    group by all
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
  holders,
  detail_url
from scoped_incidents
join scoped_details using (account_id, incident_id)
left join holders using (account_id, incident_id)
where $only::varchar[] is null or list_contains($only::varchar[], account_id || '/' || incident_id)
order by start_time desc, account_id, incident_id
limit 20001
